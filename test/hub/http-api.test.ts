/** The HTTP API: who may do what, what it refuses and how it says so, and streams without a gap. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import { testHub } from './hub-fixture.ts';
import type { Json, TestHub } from './hub-fixture.ts';
import { readStream } from './stream-reader.ts';
import { eventually } from '../support/eventually.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { scaled } from '../support/scale.ts';

const folder = tempFolders();

describe('tokens', () => {
  const calls: [method: string, path: string, least: 'viewer' | 'submitter' | 'admin'][] = [
    ['GET', '/api/tasks', 'viewer'],
    ['GET', '/api/tasks/none', 'viewer'],
    ['GET', '/api/tasks/none/events', 'viewer'],
    ['GET', '/api/tasks/none/events/1', 'viewer'],
    ['GET', '/api/tasks/none/approvals', 'viewer'],
    ['GET', '/api/workers', 'viewer'],
    ['GET', '/api/stats', 'viewer'],
    ['GET', '/metrics', 'viewer'],
    ['POST', '/api/tasks', 'submitter'],
    ['POST', '/api/tasks/none/cancel', 'submitter'],
    ['POST', '/api/tasks/none/retry', 'submitter'],
    ['POST', '/api/tasks/none/steer', 'submitter'],
    ['POST', '/api/tasks/none/approvals', 'submitter'],
    ['POST', '/api/tasks/none/follow-up', 'submitter'],
    ['POST', '/api/workers/none/drain', 'admin'],
    ['POST', '/api/tokens', 'admin'],
    ['GET', '/api/tokens', 'admin'],
    ['DELETE', '/api/tokens/none', 'admin'],
  ];
  const rank = { worker: 0, viewer: 1, submitter: 2, admin: 3 };

  test('each role may do what it is for and nothing above it', async () => {
    const hub = await testHub({ tokens: { admin: 'a', submitter: 's', viewer: 'v' } });
    const tokens = {
      admin: 'a',
      submitter: 's',
      viewer: 'v',
      worker: await hub.hub.issueToken('worker', 'w'),
    };
    for (const [method, path, least] of calls) {
      for (const [role, token] of Object.entries(tokens)) {
        const body = method === 'POST' ? {} : undefined;
        const { status } = await hub.call(method, path, body, { authorization: `Bearer ${token}` });
        const allowed = role !== 'worker' && rank[role as 'admin'] >= rank[least];
        expect([path, role, status === 403]).toEqual([path, role, !allowed]);
      }
    }
  });

  test('a missing, a wrong and a malformed token are refused with what to do', async () => {
    const hub = await testHub();
    for (const authorization of ['', 'Bearer nonsense', 'Basic YTpi', `Bearer ${'x'.repeat(5_000)}`]) {
      const { status, body, headers } = await hub.call('GET', '/api/tasks', undefined, { authorization });
      expect(status).toBe(401);
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(headers.get('www-authenticate')).toContain('Bearer');
      expect(body).toMatchObject({ status: 401, type: `urn:ollama-sidecar:error:${body.code}` });
      expect(body.detail).toMatch(/token/);
    }
  });

  test('issued tokens hold over a restart and are nowhere on disk', async () => {
    const database = join(folder(), 'hub.db');
    const first = await testHub({ database });
    const { body } = await first.call('POST', '/api/tokens', { role: 'viewer' });
    expect(body.token).toMatch(/^osc_viewer_/);
    await first.hub.close();
    expect(readFileSync(database).includes(Buffer.from(body.token as string))).toBe(false);
    const second = await testHub({ database });
    const headers = { authorization: `Bearer ${body.token}` };
    expect((await second.call('GET', '/api/tasks', undefined, headers)).status).toBe(200);
  });

  test('a worker’s token cannot be made without its id', async () => {
    const hub = await testHub();
    const { status, body } = await hub.call('POST', '/api/tokens', { role: 'worker' });
    expect([status, body.errors[0].field]).toEqual([400, 'agent_id']);
  });
});

describe('requests', () => {
  test('a submission that cannot be read names its fields', async () => {
    const hub = await testHub();
    for (const [sent, field] of [
      [{}, 'description'],
      [{ description: '   ' }, 'description'],
      [{ description: 'x', priority: 1.5 }, 'priority'],
      [{ description: 'x', verification_steps: [{ target: 'y' }] }, 'verification_steps.0.type'],
      [{ description: 'x', max_attempts: 0 }, 'max_attempts'],
    ] as const) {
      const { status, body } = await hub.call('POST', '/api/tasks', sent);
      expect([status, body.code, body.errors[0].field]).toEqual([400, 'hub_request_invalid', field]);
    }
    expect((await hub.call('POST', '/api/tasks', '{"description":')).body.code).toBe('hub_request_invalid');
    expect((await hub.call('POST', '/api/tasks', 'x', { 'content-type': 'text/plain' })).body.code).toBe(
      'hub_media_type',
    );
  });

  test('a body over 4 MiB is refused', async () => {
    const hub = await testHub();
    const { status, body } = await hub.call('POST', '/api/tasks', {
      description: 'x'.repeat(5 * 1024 * 1024),
    });
    expect([status, body.code]).toEqual([413, 'hub_body_too_large']);
  });

  test('what is not there is a problem too', async () => {
    const hub = await testHub();
    const codes = await Promise.all(
      [
        '/api/nothing',
        '/api/tasks/none',
        '/api/tasks/none/events',
        '/%2e%2e/package.json',
        '/style.css/../hub.ts',
      ].map(async (path) => (await hub.get(path)).body.code),
    );
    expect(codes).toEqual([
      'hub_not_found',
      'hub_task_not_found',
      'hub_task_not_found',
      'hub_not_found',
      'hub_not_found',
    ]);
    expect((await hub.call('POST', '/api/workers/none/drain')).body.code).toBe('hub_worker_not_found');
  });

  test('what opens a repository reaches its worker and nobody else', async () => {
    const hub = await testHub();
    const worker = await hub.worker();
    const repo = 'https://me:secret@git.example/x.git';
    const id = await hub.submit({ repo });
    expect(await worker.next('task_assign')).toMatchObject({ repo });
    const task = await hub.get(`/api/tasks/${id}`);
    expect(task.body).toMatchObject({
      repo: 'https://git.example/x.git',
      content: { repo: 'https://git.example/x.git' },
    });
    const events = await hub.get(`/api/tasks/${id}/events`);
    expect(JSON.stringify([task.body, events.body])).not.toContain('secret');
  });

  test('nor does the result of a partial task show it; the follow-up has it all the same', async () => {
    const hub = await testHub();
    const worker = await hub.worker();
    const repo = 'https://me:secret@git.example/x.git';
    const id = await hub.submit({ repo });
    const assigned = await worker.accept();
    const followUp = { description: 'Go on', repo, metadata: {} };
    await worker.finish(assigned, { status: 'partial', follow_up: followUp });
    const task = await hub.get(`/api/tasks/${id}`);
    expect(task.body.result.follow_up.repo).toBe('https://git.example/x.git');
    expect(JSON.stringify(task.body)).not.toContain('secret');
    await hub.call('POST', `/api/tasks/${id}/follow-up`, {});
    expect(await worker.next('task_assign')).toMatchObject({ description: 'Go on', repo });
  });

  test('fields that the hub does not know reach the worker as they came', async () => {
    const hub = await testHub();
    const worker = await hub.worker();
    await hub.submit({ metadata: { nested: { a: [1, null] } }, something_new: { b: 2 }, priority: 4 });
    const assigned = await worker.next('task_assign');
    expect(assigned).toMatchObject({ metadata: { nested: { a: [1, null] } }, something_new: { b: 2 } });
    expect(assigned).not.toHaveProperty('priority');
  });

  test('the list is paged, filtered and searched', async () => {
    const hub = await testHub();
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      ids.unshift(
        await hub.submit({
          description: index === 3 ? '100% _special_' : `task ${index}`,
          repo: `/r/${index}`,
        }),
      );
    }
    await hub.call('POST', `/api/tasks/${ids[0]}/cancel`);
    const seen: string[] = [];
    let before: number | null = null;
    do {
      const { body }: Json = await hub.get(`/api/tasks?limit=3${before === null ? '' : `&before=${before}`}`);
      seen.push(...body.tasks.map((task: Json) => task.task_id));
      expect(body.total).toBe(7);
      before = body.next_before;
    } while (before !== null);
    expect(seen).toEqual(ids);
    const find = async (query: string) =>
      (await hub.get(`/api/tasks?${query}`)).body.tasks.map((task: Json) => task.task_id);
    expect(await find('status=cancelled')).toEqual([ids[0]]);
    expect(await find('status=queued,cancelled&q=TASK%205')).toEqual([ids[1]]);
    expect(await find('q=100%25%20_sp')).toEqual([ids[3]]);
    expect(await find('q=%2Fr%2F2')).toEqual([ids[4]]);
    expect((await hub.get('/api/tasks?status=odd')).status).toBe(400);
    const { created_at: third } = (await hub.get(`/api/tasks/${ids[2]}`)).body;
    expect(await find(`since=${third}`)).toContain(ids[2]);
    expect(await find(`since=${Date.now() + 60_000}`)).toEqual([]);
  });

  test('health and readiness need no token; the OpenAPI document has every route', async () => {
    const hub = await testHub();
    const open = async (path: string) => (await fetch(hub.hub.url + path)).json();
    expect(await open('/healthz')).toEqual({ status: 'ok' });
    expect(await open('/readyz')).toEqual({ status: 'ready' });
    const document: Json = await open('/api/openapi.json');
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/api/tasks',
        '/api/tasks/{id}',
        '/api/tasks/{id}/events',
        '/api/workers/{id}/drain',
      ]),
    );
    const submit = document.paths['/api/tasks'].post;
    expect(submit.requestBody.content['application/json'].schema.required).toContain('description');
    expect(submit.requestBody.required).toBe(true);
    expect(document.paths['/api/tasks/{id}/cancel'].post.requestBody.required).toBe(false);
    const ids = Object.values(document.paths).flatMap((one) =>
      Object.values(one as Record<string, Json>).map((call: Json) => call.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('workers are listed with load and resources', async () => {
    const hub = await testHub();
    const worker = await hub.worker({ capacity: 2, models: ['qwen3:8b'], labels: ['gpu'] });
    worker.say('resource_report', {
      cpu_percent: 12.5,
      vram_used_bytes: 4e9,
      vram_total_bytes: null,
      ram_used_bytes: 1,
      ram_total_bytes: 2,
    });
    await hub.submit();
    await worker.accept();
    expect((await hub.get('/api/workers')).body.workers).toMatchObject([
      {
        agent_id: 'worker-1',
        connected: true,
        load: 1,
        capacity: 2,
        labels: ['gpu'],
        resources: { vram_used_bytes: 4e9 },
      },
    ]);
    const stream = readStream(hub, '/api/events?scope=state&after=0');
    await stream.until((event) => event.body.reason === 'accepted');
    await worker.leave();
    await stream.until((event) => event.body.reason === 'worker_lost');
    stream.close();
    expect((await hub.get('/api/workers')).body.workers).toMatchObject([{ connected: false, load: 0 }]);
  });
});

describe('event streams', () => {
  const texts = (events: { body: Json }[]) => events.map(({ body }) => body.text).filter(Boolean);

  test('replay from any point and then live: every event once and in order, whenever the reader comes', async () => {
    const hub = await testHub({ framesPerMinute: 1e6 });
    const worker = await hub.worker({ capacity: 100 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        async (early, joinAt) => {
          const id = await hub.submit();
          await worker.accept();
          const total = 60;
          const first = (await hub.get(`/api/tasks/${id}/events`)).body.next_after;
          let stream = joinAt === 0 ? readStream(hub, `/api/tasks/${id}/events?after=${first}`) : undefined;
          for (let seq = 1; seq <= total; seq += 1) {
            worker.event(id, { event_type: 'status', text: `${seq}`, seq });
            if (seq === joinAt) stream = readStream(hub, `/api/tasks/${id}/events?after=${first}`);
            if (seq === early) await new Promise((resolve) => setImmediate(resolve));
          }
          const all = await stream!.until((event) => event.body.text === `${total}`);
          stream!.close();
          expect(texts(all)).toEqual(Array.from({ length: total }, (_, index) => `${index + 1}`));
          expect(all.map((event) => event.id)).toEqual(all.map((event) => event.id).sort((a, b) => a - b));
          const half = all[30]!.id;
          const resumed = readStream(hub, `/api/tasks/${id}/events`, { 'last-event-id': String(half) });
          expect(texts(await resumed.until((event) => event.body.text === `${total}`))).toEqual(
            texts(all.slice(31)),
          );
          resumed.close();
        },
      ),
      { numRuns: scaled({ quick: 6, full: 60 }) },
    );
  });

  test('the JSON form pages through the same events', async () => {
    const hub = await testHub();
    const { worker, id, assigned } = await hub.running();
    for (let seq = 1; seq <= 25; seq += 1) worker.event(id, { event_type: 'token', text: `${seq}`, seq });
    await worker.finish(assigned);
    const pages: Json[] = [];
    let after = 0;
    let more = true;
    while (more) {
      const { body }: Json = await hub.get(`/api/tasks/${id}/events?after=${after}&limit=10`);
      pages.push(...body.events);
      ({ next_after: after, more } = body);
    }
    expect(texts(pages)).toEqual(Array.from({ length: 25 }, (_, index) => `${index + 1}`));
    expect(pages).toHaveLength(29);
  });

  test('the hub’s stream has everything, or state changes only and one task whole', async () => {
    const hub = await testHub();
    const worker = await hub.worker({ capacity: 2 });
    const one = await hub.submit();
    const two = await hub.submit();
    const everything = readStream(hub, '/api/events?after=0');
    const narrow = readStream(hub, `/api/events?after=0&scope=state&task=${two}`);
    const tasks = [await worker.accept(), await worker.accept()];
    for (const { task_id: id } of tasks) worker.event(id, { event_type: 'status', text: `of ${String(id)}` });
    for (const task of tasks) worker.complete(task);
    const last = (event: { task_id: string; body: Json }) =>
      event.task_id === two && event.body.reason === 'completed';
    expect(new Set(texts(await everything.until(last)))).toEqual(new Set([`of ${one}`, `of ${two}`]));
    const seen = await narrow.until(last);
    expect(texts(seen)).toEqual([`of ${two}`]);
    expect(seen.filter((event) => event.body.reason === 'completed').map((event) => event.task_id)).toEqual([
      one,
      two,
    ]);
    everything.close();
    narrow.close();
  });

  test('a reader that does not read its history is let go, however much it would still get', async () => {
    const hub = await testHub({ framesPerMinute: 1e6 });
    const { worker, id } = await hub.running();
    const large = 'x'.repeat(3.5 * 1024 * 1024);
    const say = async (count: number) => {
      for (let one = 0; one < count; one += 1) worker.event(id, { event_type: 'stdout', text: large });
      await worker.ping();
    };
    await say(4);
    const { port } = new URL(hub.hub.url);
    const socket = connect(Number(port), '127.0.0.1').pause();
    socket.write(
      `GET /api/events?after=0 HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer ${hub.hub.tokens.admin}\r\n\r\n`,
    );
    let streams = 0;
    const count = async () => void (streams = (await hub.get('/api/stats')).body.streams as number);
    await eventually(() => streams === 1, 'the stream', count);
    await say(6);
    await eventually(() => streams === 0, 'the end of the stream', count);
    socket.destroy();
  });

  test('a reader that goes away is forgotten; a hub that closes ends its streams', async () => {
    const hub = await testHub();
    const readers = async () => (await hub.get('/api/stats')).body.streams as number;
    const kept = await opened(hub);
    const gone = await opened(hub);
    expect(await readers()).toBe(2);
    gone.close();
    while ((await readers()) > 1) await new Promise((resolve) => setImmediate(resolve));
    await hub.hub.close();
    await kept.ended;
  });

  async function opened(hub: TestHub) {
    const stream = readStream(hub, '/api/events?after=0');
    const id = await hub.submit();
    await stream.until((event) => event.task_id === id);
    return stream;
  }
});

describe('the dashboard’s files', () => {
  test('come with a policy that allows nothing inline and nothing from elsewhere', async () => {
    const hub = await testHub();
    const response = await fetch(hub.hub.url);
    const html = await response.text();
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(html).not.toMatch(/style=|onclick|<script(?![^>]* src=)|https?:\/\//);
    const files = [...html.matchAll(/(?:src|href)="([\w.-]+)"/g)].map(([, file]) => file);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect((await fetch(`${hub.hub.url}/${file}`)).status).toBe(200);
  });
});
