/** What the parts of the queue's contract share: how a hub is started, and time that passes for it and its workers. */
import type { HubOptions } from '../../../sidecar/hub/hub.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import type { Json, TestHub } from '../hub-fixture.ts';
import type { SimulatedWorker } from '../simulated-worker.ts';
import { eventually } from '../../support/eventually.ts';
import { readStream } from '../stream-reader.ts';

/** Makes an empty database in the store that the contract is checked on; answers where it is. */
export type NewDatabase = () => Promise<string>;
/** Starts a hub on an empty database, without jitter. */
export type StartHub = (options?: HubOptions) => Promise<TestHub>;

/** Moves time in steps that keep connections alive. */
export async function wait(
  clock: ManualClock,
  durationMs: number,
  workers: SimulatedWorker[],
): Promise<void> {
  for (let left = durationMs; left > 0; left -= 30_000) {
    for (const worker of workers) {
      await worker.ping();
    }
    await clock.advance(Math.min(30_000, left));
  }
}
/** Waits for what is due by now: a hub whose database is slow sets its next timer when the time has passed already. */
export async function due<T>(clock: ManualClock, coming: Promise<T>): Promise<T> {
  let isOver = false;
  const end = (): void => void (isOver = true);
  coming.then(end, end);
  await eventually(
    () => isOver,
    'what is due',
    () => clock.advance(0),
  );
  return coming;
}
/** The task as the hub's API tells it. */
export const status = async (hub: TestHub, id: string): Promise<Json> =>
  (await hub.get(`/api/tasks/${id}`)).body;
/** Waits until the hub has written down this change of the task, an event with this text, or an approval with this status. */
export async function happened(hub: TestHub, id: string, what: string): Promise<void> {
  const stream = readStream(hub, `/api/tasks/${id}/events`);
  await stream.until(({ kind, body }) =>
    [body.reason, body.text, kind === 'approval' && body.status].includes(what),
  );
  stream.close();
}
