/** Many events to many dashboards: all of them, in order. The benches measure how soon. */
import { expect, test } from '@jest/globals';
import { testHub } from './hub-fixture.ts';
import type { Json } from './hub-fixture.ts';
import { readStream } from './stream-reader.ts';
import { countOf, isLong } from '../support/scale.ts';

const eventsPerSecond = isLong ? 5_000 : 1_000;
const dashboards = isLong ? 20 : 5;
const seconds = isLong ? 4 : 1;

test(`${eventsPerSecond} events a second reach ${dashboards} dashboards, all and in order`, async () => {
  const hub = await testHub({ framesPerMinute: 1e9 });
  const worker = await hub.worker();
  const id = await hub.submit();
  const assigned = await worker.accept();
  const streams = Array.from({ length: dashboards }, () => readStream(hub, '/api/events?after=0'));
  await Promise.all(streams.map((stream) => stream.until((event) => event.body.reason === 'accepted')));
  const total = eventsPerSecond * seconds;
  const start = performance.now();
  let sent = 0;
  while (sent < total) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * eventsPerSecond));
    for (; sent < due; sent += 1) {
      worker.event(id, { event_type: 'token', text: 'word ', seq: sent + 1 });
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  worker.complete(assigned);
  const all = await Promise.all(
    streams.map((stream) => stream.until((event) => event.body.reason === 'completed')),
  );
  for (const events of all) {
    const seqs = events
      .filter(({ kind }) => kind === 'execution')
      .map(({ body }: Json) => body.seq as number);
    expect(seqs).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  }
  for (const stream of streams) stream.close();
});

test('a long queue goes through many workers, each task exactly once', async () => {
  const hub = await testHub({ framesPerMinute: 1e9 });
  const total = countOf('QUEUED_TASKS', { quick: 200, full: 10_000 });
  const count = isLong ? 200 : 20;
  const one = JSON.stringify({ description: 'small' });
  for (let made = 0; made < total; made += 50) {
    await Promise.all(Array.from({ length: 50 }, () => hub.call('POST', '/api/tasks', one)));
  }
  const done: unknown[] = [];
  await new Promise<void>((resolve, reject) => {
    const join = async (index: number) => {
      const worker = await hub.worker({ agentId: `w${index}` });
      const act = (frame: Json) => {
        if (frame.type === 'task_assign') {
          worker.say('task_accepted', { task_id: frame.task_id });
          worker.complete(frame);
        }
        if (frame.type === 'task_ack' && frame.status === 'complete' && done.push(frame.task_id) === total)
          resolve();
      };
      worker.heard.forEach(act);
      worker.socket.on('message', (data) => act(JSON.parse((data as Buffer).toString())));
    };
    Promise.all(Array.from({ length: count }, (_, index) => join(index))).catch(reject);
  });
  expect(new Set(done).size).toBe(total);
});
