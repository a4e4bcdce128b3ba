/**
 * Handles a stdout that can no longer be written: its reader has left (`… | head -1`), or the disk is full. Commands
 * that follow a task end early and in order; servers continue silently.
 */
import { EXIT } from './exit-codes.ts';

const outputLossController = new AbortController();

export const outputLostSignal: AbortSignal = outputLossController.signal;

/** Listens for broken streams; call once, before any output. `report` is called with the message for the user. */
export function watchLostOutput(report: (message: string) => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (outputLossController.signal.aborted) return;
    outputLossController.abort();
    if (error.code === 'EPIPE') return;
    process.once('exit', (code) => {
      if (code === EXIT.ok || code === EXIT.outputClosed) process.exitCode = EXIT.failed;
    });
    report(`stdout cannot be written: ${error.message}`);
  });
  // If stderr is broken, no stream is left for an error message.
  process.stderr.on('error', () => undefined);
}
