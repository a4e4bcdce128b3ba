/**
 * Starts a worker: opens what it stands on, puts it together, connects it to its hub. Whatever was opened until a
 * failure is closed again.
 */
import type { Outcome } from '../ports.ts';
import { CleanupStack } from '../system/cleanup-stack.ts';
import { isCodedError } from '../values/errors.ts';
import { assembleWorker } from './assemble-worker.ts';
import { connectFirst } from './first-connection.ts';
import { openFoundation, type StartWorkerOptions } from './foundation.ts';
import { recoverTasks } from './recovery.ts';
import type { Worker } from './worker.ts';

export type { StartWorkerOptions } from './foundation.ts';

/** Starts a worker and connects it. Failures are data: state folder (`storage_…`), sandbox, hub address, token. */
export async function startWorker(options: StartWorkerOptions): Promise<Outcome<Worker>> {
  const opened = new CleanupStack();
  try {
    return { ok: true, value: await start(options, opened) };
  } catch (error) {
    await opened.close();
    if (isCodedError(error)) return { ok: false, failure: { code: error.code, message: error.message } };
    throw error;
  }
}

async function start(options: StartWorkerOptions, opened: CleanupStack): Promise<Worker> {
  const foundation = await openFoundation(options, opened);
  const { config, clock, logger, state } = foundation;
  const { worker, link, assignments, loadSoon } = await assembleWorker(foundation, opened);
  const recover = () => recoverTasks({ link, records: state.records, assignments, worker, logger });
  await connectFirst({ config, clock, link, worker, start: recover });
  loadSoon();
  return worker;
}
