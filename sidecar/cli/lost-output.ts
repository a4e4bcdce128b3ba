/**
 * The end of a command whose stdout cannot be written any more: its reader has left (`… | head -1`), or a disk is full. Nothing
 * crashes; commands that follow a task end early and in good order, servers go on without saying more.
 */
import { EXIT } from './exit-codes.ts';

const lost = new AbortController();

/** Aborted when stdout is lost. */
export const outputLost: AbortSignal = lost.signal;

/** Listens for broken streams; call once, before anything is printed. `report` gets what a person should know. */
export function expectLostOutput(report: (message: string) => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (lost.signal.aborted) return;
    lost.abort();
    if (error.code === 'EPIPE') return;
    process.once('exit', (code) => {
      if (code === EXIT.ok || code === EXIT.outputClosed) process.exitCode = EXIT.failed;
    });
    report(`stdout cannot be written: ${error.message}`);
  });
  // No stream is left to report it on.
  process.stderr.on('error', () => undefined);
}
