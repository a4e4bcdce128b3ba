/** What the public hub does to tasks, and how a worker keeps them alive. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CleanupStack } from '../../sidecar/system/cleanup-stack.ts';
import { HubDouble } from '../support/hub-double.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { startPublicHubWorker, type PublicHubWorker } from '../support/public-hub-worker.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { quiet, until } from '../support/until.ts';

const folder = tempFolders();
const cleanup = new CleanupStack();
afterEach(() => cleanup.close());

let clock: ManualClock;
let hub: HubDouble;
beforeEach(async () => {
  clock = new ManualClock();
  hub = new HubDouble(clock);
  cleanup.add(() => hub.kill());
  await hub.listen();
});

async function start(): Promise<PublicHubWorker> {
  const worker = startPublicHubWorker({ clock, hub, dir: folder() });
  cleanup.add(() => worker.close());
  await until(() => worker.link.state === 'ready', 'identified');
  return worker;
}

async function advance(durationMs: number): Promise<void> {
  for (let left = durationMs; left > 0; left -= 1_000) {
    await clock.advance(Math.min(left, 1_000));
    await quiet(4);
  }
}

const statuses = () => [...hub.tasks.values()].map(({ status }) => status);
const areOver = () => !statuses().some((status) => status === 'queued' || status === 'assigned');

describe('a burst, of which the hub gives several at a time to one that works', () => {
  test.each([28, 40])('of %i tasks kills none, twenty times', async (count) => {
    await start();
    hub.racing = 2;
    for (let burst = 0; burst < 20; burst += 1) {
      for (let index = 0; index < count; index += 1) hub.submit(`t${burst}-${index}`);
      for (let second = 0; second < 900 && !areOver(); second += 1) await advance(1_000);
    }
    expect(statuses().filter((status) => status !== 'completed')).toEqual([]);
    expect(statuses()).toHaveLength(20 * count);
    expect(hub.framesOf('task_failed')).toEqual([]);
    expect(hub.sent.map(({ type }) => type)).not.toContain('rate_limited');
  });

  test('never leaves a worker with more than a hundred tasks', async () => {
    const { active } = await start();
    hub.racing = 150;
    for (let index = 0; index < 130; index += 1) hub.submit(`t${index}`);
    let most = 0;
    for (let second = 0; second < 1_800 && !areOver(); second += 1) {
      await advance(1_000);
      most = Math.max(most, active.unfinished);
    }
    expect(most).toBe(100);
    expect(statuses().filter((status) => status === 'dead_letter')).toEqual([]);
  });
});
