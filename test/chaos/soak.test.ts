/**
 * Many small tasks through one worker: memory and handles stay flat. Hub, model and worker share this process, so that
 * what is printed is the sum of all three; only a gross leak fails.
 */
import { afterEach, expect, test } from '@jest/globals';
import { heldBytes } from '../support/held-memory.ts';
import { countOf, isLong } from '../support/scale.ts';
import { say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { until } from '../support/until.ts';

const TASKS = countOf('SOAK_TASKS', { quick: 40, full: 2_000 });
/** The hub's own history and the model's recording of requests grow by so much for a task, and more. */
const MAX_GROWTH_BYTES = 24 * 1024 * 1024 + TASKS * 4_000;

/** So many are submitted at once. */
const BATCH = isLong ? 50 : 10;
/** Connections that are kept for reuse come and go. */
const MAX_HANDLES = 5 * BATCH;

let system: TestSystem;
afterEach(() => system.cleanup.close());

function usage(): { memoryBytes: number; handles: number } {
  // Timers come and go with connections that are kept for reuse; sockets, files and processes are what can leak.
  const held = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout' && name !== 'Immediate');
  return { memoryBytes: heldBytes(), handles: held.length };
}

test(`${TASKS} tasks leave memory and handles as they were`, async () => {
  system = await startSystem({ turns: [say('Done.')] }, { framesPerMinute: 1_000_000 });
  await system.worker('w1', { worker: { concurrency: 4 } });
  const submitted: string[] = [];
  const run = async (count: number) => {
    const pending = Array.from({ length: count }, async () => {
      const { task_id: id } = await system.client.submit({ description: 'Small' });
      submitted.push(id);
    });
    await Promise.all(pending);
    const last = submitted.at(-1);
    if (last !== undefined) await system.untilEnded(last);
  };
  // As many at once as later, more than once, so that connections kept for reuse are there already.
  for (let warmUp = 0; warmUp < 3; warmUp += 1) await run(BATCH);
  const before = usage();
  for (let done = 0; done < TASKS; done += BATCH) await run(Math.min(BATCH, TASKS - done));
  for (const id of submitted.slice(-BATCH)) await system.untilEnded(id);
  // What the last tasks leave is still being cleaned up.
  let after = usage();
  await until(() => {
    after = usage();
    return after.handles < before.handles + MAX_HANDLES;
  }, 'the handles of the last tasks to go');
  const grownMib = (after.memoryBytes - before.memoryBytes) / 1024 / 1024;
  process.stdout.write(
    `soak: ${TASKS} tasks, memory ${grownMib.toFixed(1)} MiB more, handles ${before.handles} → ${after.handles}\n`,
  );
  expect(after.memoryBytes - before.memoryBytes).toBeLessThan(MAX_GROWTH_BYTES);
});
