/** Signals for a worker: the first drains it, the second stops it quickly. */
import type { Worker, WorkerEnd } from '../worker/start-worker.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Interruption } from './interruption.ts';
import { onAbort } from '../base/system/on-abort.ts';
import type { Terminal } from './terminal.ts';

/** Stops the worker on signals. Resolves when the worker has ended, by itself or by a signal. */
export async function stopOnSignals(
  worker: Worker,
  terminal: Terminal,
  interruption: Interruption,
): Promise<WorkerEnd> {
  const drain = () => {
    const { running } = worker.taskCounts;
    if (running > 0)
      terminal.note(
        `Finishing ${running === 1 ? '1 running task' : `${running} running tasks`}; a second signal stops ${running === 1 ? 'it' : 'them'} now.`,
      );
    void worker.drain(interruption.exitCode === EXIT.interrupted ? 'SIGINT' : 'SIGTERM');
  };
  const unlisten = [
    onAbort(interruption.firstSignal, drain),
    onAbort(interruption.secondSignal, () => void worker.stop()),
  ];
  const end = await worker.ended;
  unlisten.forEach((stop) => stop());
  return end;
}

/** Returns the exit code for a worker's end: 0 after one signal (the worker finished its tasks), else the signal's code. */
export function exitCodeOfEnd({ reason }: WorkerEnd, { exitCode, secondSignal }: Interruption): ExitCode {
  if (reason === 'token_refused') return EXIT.tokenRefused;
  if (reason === 'hub_unreachable') return EXIT.hubUnreachable;
  if (reason === 'storage_failed') return EXIT.state;
  if (reason === 'restart') return EXIT.restart;
  return secondSignal.aborted ? (exitCode ?? EXIT.terminated) : EXIT.ok;
}
