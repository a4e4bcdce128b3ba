/** The end of a worker on the public hub, which takes back one task of a line that ends; others stay assigned for ten minutes. */
import type { Clock } from '../../ports.ts';
import type { PublicHubApi } from './hub-api.ts';

const LIMIT_MS = 10_000;

export interface GiveBackOptions {
  api: Pick<PublicHubApi, 'assigned'>;
  /** Whether this worker was given the task and does not go on with it. */
  isLeft: (taskId: string, isAccepted: boolean) => boolean;
  /** Connects and leaves: the hub takes one task back. */
  visit: () => Promise<void>;
  clock: Clock;
}

/** Returns the tasks that the hub still has as this worker's, after its line has ended. */
export async function giveBackRest({ api, isLeft, visit, clock }: GiveBackOptions): Promise<void> {
  const untilMs = clock.monotonicMs() + LIMIT_MS;
  while (clock.monotonicMs() < untilMs) {
    const assigned = await api.assigned();
    if (!assigned.ok) return;
    const left = assigned.value.filter((task) => isLeft(task.id, task.updated_at !== task.assigned_at));
    if (left.length === 0) return;
    await visit();
  }
}
