/** `worker.concurrency: auto`: tasks in work as the model has time for them. */
import { afterEach, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { ManualClock, unhurriedCalls } from '../support/manual-clock.ts';
import { call, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { quiet } from '../support/until.ts';

let system: TestSystem;
afterEach(() => system.cleanup.close());

const auto = (autoLimit: number) => ({
  ollama: { slots: 1 },
  worker: { concurrency: 'auto' as const, autoLimit },
});
const submit = async (description: string): Promise<string> =>
  (await system.client.submit({ description, agentic: true })).task_id;

test('a task is begun while another one runs its command, and the model gets one call at a time', async () => {
  system = await startSystem({
    card: { slots: 1 },
    speed: { promptTokensPerSecond: 100_000, tokensPerSecond: 1_000 },
    turns: [call('shell', { command: 'sleep 0.3' }), { ...say('Done.'), repeat: 'always' }],
  });
  const worker = await system.worker('w1', auto(4));
  const ids = await Promise.all(['1', '2', '3'].map(submit));
  let most = 0;
  const ended = Promise.all(ids.map((id) => system.untilEnded(id)));
  let isOver = false;
  void ended.then(() => (isOver = true));
  await eventually(() => {
    most = Math.max(most, worker.load.running);
    return isOver;
  }, 'the end of all tasks');
  expect((await ended).map(({ status }) => status)).toEqual(['success', 'success', 'success']);
  expect(most).toBeGreaterThan(1);
  const { works } = system.model;
  const overlaps = works.filter((one) =>
    works.some((other) => other !== one && other.startedMs < one.endedMs && one.startedMs < other.endedMs),
  );
  expect(overlaps).toEqual([]);
});

test('a task that waits in the queue is heard of, and is cancelled at once', async () => {
  const hold = { faults: [{ kind: 'hold' as const }] };
  system = await startSystem({ turns: [{ ...say('Done.'), ...hold, repeat: 'always' }] });
  const clock = new ManualClock(Date.now());
  const port = await freePort();
  const settings = {
    ...auto(3),
    ollama: { slots: 1, ...unhurriedCalls },
    limits: { agenticTimeoutMs: 36_000_000 },
    observability: { port },
  };
  const worker = await system.worker('w1', settings, clock);
  const ids = await Promise.all(['1', '2', '3'].map(submit));
  let metrics = '';
  await eventually(
    () => worker.load.taken === 3 && /sidecar_model_calls_waiting\{[^}]*\} 1/u.test(metrics),
    'a call that waits',
    async () => {
      metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    },
  );
  // One call runs and one waits: the third task has no use for the model yet.
  expect(worker.load.running).toBe(2);
  const heard = new Map<string, string>();
  const following = ids.map((id) =>
    system.untilEnded(id, ({ body }) => {
      if (String(body.text).startsWith('In the queue')) heard.set(id, String(body.text));
    }),
  );
  await eventually(
    () => heard.size > 0,
    'a word from the queue',
    async () => {
      await clock.advance(1_000);
      await quiet();
    },
  );
  const [waiting = ''] = heard.keys();
  await system.client.cancel(waiting);
  expect(await following[ids.indexOf(waiting)]).toMatchObject({ status: 'cancelled' });
  await eventually(() => worker.load.taken === 2, 'the end of the cancelled task');
  system.model.release();
  const others = await Promise.all(following.filter((_, index) => ids[index] !== waiting));
  expect(others.map(({ status }) => status)).toEqual(['success', 'success']);
});
