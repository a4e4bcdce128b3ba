/** What no honest client sends: it is refused with a reason, stops nothing and leaves nothing behind that cannot be worked on. */
import { describe, expect, test } from '@jest/globals';
import { MAX_FRAME_DEPTH } from '../../sidecar/base/protocol/frames.ts';
import { MAX_FRAME_IN_BYTES } from '../../sidecar/base/protocol/limits.ts';
import { testHub } from './hub-fixture.ts';
import { SimulatedWorker } from './simulated-worker.ts';
import { readStream } from './stream-reader.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('a submission', () => {
  test('that is nested deeper than a worker reads is refused, at any depth', async () => {
    const hub = await testHub();
    for (const levels of [MAX_FRAME_DEPTH, 5_000, 500_000]) {
      const text = `{"description":"deep","notes":${nested(levels)}}`;
      const { status, body } = await hub.call('POST', '/api/tasks', text);
      expect([levels, status, body.code]).toEqual([levels, 400, 'hub_request_invalid']);
    }
    const fits = `{"description":"deep","notes":${nested(MAX_FRAME_DEPTH - 1)}}`;
    expect((await hub.call('POST', '/api/tasks', fits)).status).toBe(201);
  });

  test('that would be a larger frame than a worker reads is refused', async () => {
    const hub = await testHub();
    // Each number is written with 22 digits where the body has four.
    const numbers = Array.from({ length: 400_000 }, () => '1e21')
      .join(',')
      .replaceAll('1e21', '9e20');
    const { status, body } = await hub.call('POST', '/api/tasks', `{"description":"x","notes":[${numbers}]}`);
    expect([status, body.code]).toEqual([400, 'hub_request_invalid']);
    expect(body.detail).toContain('bytes');
    const filler = 'x'.repeat(MAX_FRAME_IN_BYTES - 64);
    const nearly = await hub.call('POST', '/api/tasks', `{"description":"x","notes":"${filler}"}`);
    expect(nearly.status).toBe(400);
  });

  test('with an idempotency key that cannot be one is refused, wherever the key stands', async () => {
    const hub = await testHub();
    const task = { description: 'x' };
    for (const key of ['', 'k'.repeat(257)]) {
      const answers = [
        await hub.call('POST', '/api/tasks', task, { 'idempotency-key': key }),
        await hub.call('POST', '/api/tasks', { ...task, idempotency_key: key }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    }
    const first = await hub.call('POST', '/api/tasks', task, { 'idempotency-key': 'k'.repeat(256) });
    const again = await hub.call('POST', '/api/tasks', task, { 'idempotency-key': 'k'.repeat(256) });
    expect([first.status, again.status, again.body.task_id]).toEqual([201, 200, first.body.task_id]);
  });
});

describe('a reader', () => {
  test('that asks only for the head of a stream gets an answer and holds no stream', async () => {
    const hub = await testHub();
    const id = await hub.submit();
    for (const path of ['/api/events', `/api/tasks/${id}/events`]) {
      const response = await fetch(hub.hub.url + path, {
        method: 'HEAD',
        signal: AbortSignal.timeout(5_000),
        headers: { authorization: `Bearer ${hub.hub.tokens.admin}`, accept: 'text/event-stream' },
      });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ]);
    }
    expect((await hub.get('/api/stats')).body.streams).toBe(0);
  });

  test('that reconnects by itself goes on after the last event it saw, not where its address says', async () => {
    const hub = await testHub();
    const id = await hub.submit();
    const [seen] = (await hub.get(`/api/tasks/${id}/events`)).body.events;
    await hub.call('POST', `/api/tasks/${id}/cancel`);
    for (const path of [`/api/tasks/${id}/events?after=0`, '/api/events?after=0']) {
      const stream = readStream(hub, path, { 'last-event-id': String(seen.id) });
      const heard = await stream.until((event) => event.body.reason === 'cancelled');
      expect(heard.map((event) => event.body.reason)).toEqual(['cancelled']);
      stream.close();
    }
  });

  test('that comes with a sequence number of another, longer history hears what happens from now on', async () => {
    const hub = await testHub();
    const stream = readStream(hub, '/api/events', { 'last-event-id': '900000' });
    while ((await hub.get('/api/stats')).body.streams === 0);
    const id = await hub.submit();
    const heard = await stream.until((event) => event.task_id === id);
    expect(heard).toHaveLength(1);
    stream.close();
  });
});

test('an address that cannot be read is refused as everything else is', async () => {
  const hub = await testHub();
  for (const id of ['%E0%A4%A', 'x'.repeat(600)]) {
    const { status, body, headers } = await hub.get(`/api/tasks/${id}`);
    expect([status, body.code]).toEqual([400, 'hub_request_invalid']);
    expect(headers.get('content-type')).toContain('application/problem+json');
  }
});

describe('a worker', () => {
  test('of which two connect at the same moment has one connection, and it gets the tasks', async () => {
    const hub = await testHub();
    const token = await hub.hub.issueToken('worker', 'twin');
    const twins = await Promise.all([1, 2].map(() => SimulatedWorker.connect(hub.hub.wsUrl)));
    hub.workers.push(...twins);
    for (const twin of twins) twin.identify({ agentId: 'twin', token });
    await Promise.race(twins.map((twin) => twin.whenClosed()));
    const [left, ...others] = twins.filter((twin) => twin.closed === undefined);
    expect(others).toHaveLength(0);
    const id = await hub.submit();
    expect(await left!.accept()).toMatchObject({ task_id: id });
  });

  test('that tells a password in the address of its Ollama has not told it to everybody who may look', async () => {
    const hub = await testHub();
    const token = await hub.hub.issueToken('worker', 'w');
    const worker = await SimulatedWorker.connect(hub.hub.wsUrl);
    hub.workers.push(worker);
    worker.say('identify', { agent_id: 'w', token, ollama_url: 'http://me:hunter2@gpu-box:11434' });
    await worker.next('identified');
    const [seen] = (await hub.get('/api/workers')).body.workers;
    expect(seen.ollama_url).toBe('http://gpu-box:11434');
  });
});
