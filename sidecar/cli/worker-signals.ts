/** Two-stage signals for a worker (operations.md, Worker lifecycle): the first drains, the second hurries. */
import type { Worker, WorkerEnd } from '../worker/worker.ts';
import type { Terminal } from './terminal.ts';

/** Resolves when the worker has ended, by itself or by a signal. */
export async function stopOnSignals(worker: Worker, terminal: Terminal): Promise<WorkerEnd> {
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) void worker.stop();
    else {
      const { running } = worker.load;
      if (running > 0)
        terminal.note(`Finishing ${running} running task(s); once more (${signal}) stops them now.`);
      void worker.drain(signal);
    }
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return await worker.ended;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
