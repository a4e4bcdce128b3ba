import { describe, expect, test } from '@jest/globals';
import { createOllamaServer } from '../../../sidecar/model/ollama-server.ts';
import { Scheduler } from '../../../sidecar/model/servers/scheduler.ts';
import { ServerHealth } from '../../../sidecar/model/servers/server-health.ts';
import { TaskServer } from '../../../sidecar/model/servers/task-server.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import type { ScriptedModelServer } from '../../../sidecar/model/scripted/server.ts';
import { systemClock } from '../../../sidecar/base/system/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { chatsOf, say, testModel } from '../../support/scripted-model.ts';

const held = { ...say('late'), faults: [{ kind: 'hold' as const }] };
const named = (...names: string[]) => names.map((name) => ({ name }));
const answers = (reply: string, ...models: string[]): ScenarioInput => ({
  models: named(...models),
  rules: [{ when: { lastMessage: 'hold' }, ...held }],
  turns: Array.from({ length: 9 }, () => say(reply)),
});

const gone = { code: 'model_unreachable', message: 'no Ollama server' };

/** Task servers that share a scheduler; `models`: what each server is for. */
function place(scripted: ScriptedModelServer[], models: string[][] = []) {
  const servers = scripted.map(({ url }, index) => ({ url, slots: 1, models: models[index] }));
  const scheduler = new Scheduler({ servers });
  let tasks = 0;
  const moves: string[] = [];
  const forTask = () =>
    new TaskServer({
      taskId: String((tasks += 1)),
      servers,
      scheduler,
      clock: systemClock,
      createServer: (baseUrl) => createOllamaServer({ baseUrl }),
      onMove: (url) => moves.push(url),
    });
  /** Counts the server as down until it answers a probe. */
  const putDown = async (index: number): Promise<void> => {
    await scheduler.servers.getOrAdd(servers[index]!).condition.attributeFailure(gone, undefined);
  };
  return { forTask, scheduler, moves, putDown };
}

const ask = (server: TaskServer, model = 'm', text = 'Hello', signal?: AbortSignal) =>
  server.chat(
    { model, messages: [{ role: 'user', content: text }], stream: false },
    { timeoutMs: 20_000, ...(signal && { signal }) },
  );
const said = async (answer: ReturnType<typeof ask>) => {
  const outcome = await answer;
  return outcome.ok ? outcome.value.message.content : outcome.failure.code;
};

describe('several model servers', () => {
  test('the one that has the model loaded comes first, and a task stays with its server', async () => {
    const [a, b] = [await testModel(answers('a', 'm', 'n')), await testModel(answers('b', 'm'))];
    const { forTask, moves } = place([a, b]);
    await createOllamaServer({ baseUrl: b.url }).chat(
      { model: 'm', messages: [], stream: false },
      { timeoutMs: 5_000 },
    );
    const one = forTask();
    expect(await said(ask(one))).toBe('b');
    // Only the first has it.
    await one.list();
    expect(await said(ask(one, 'n'))).toBe('a');
    expect(await said(ask(one))).toBe('a');
    expect(moves).toEqual([a.url]);
  });

  test('a full one is passed over, and with all full a call waits for a slot', async () => {
    const [a, b] = [await testModel(answers('a', 'm')), await testModel(answers('b', 'm'))];
    const { forTask } = place([a, b]);
    const cancel = new AbortController();
    const first = ask(forTask(), 'm', 'hold', cancel.signal);
    await eventually(() => chatsOf(a).length + chatsOf(b).length === 1, 'the first call');
    const [busy, free] = chatsOf(a).length === 1 ? [a, 'b'] : [b, 'a'];
    expect(await said(ask(forTask()))).toBe(free);
    const other = ask(forTask(), 'm', 'hold', cancel.signal);
    await eventually(() => chatsOf(a).length + chatsOf(b).length === 3, 'the second server full');
    const waiting = ask(forTask());
    const given = new AbortController();
    const givenUp = ask(forTask(), 'm', 'Hello', given.signal);
    given.abort();
    expect(await said(givenUp)).toBe('aborted');
    expect(chatsOf(busy)).toHaveLength(1);
    cancel.abort();
    expect(await said(first)).toBe('aborted');
    expect(await said(other)).toBe('aborted');
    expect(['a', 'b']).toContain(await said(waiting));
  });

  test('a call that waits is told when all of them are away, and was not asked', async () => {
    const a = await testModel(answers('a', 'm'));
    const { forTask, scheduler, putDown } = place([a]);
    const cancel = new AbortController();
    const first = ask(forTask(), 'm', 'hold', cancel.signal);
    await eventually(() => chatsOf(a).length === 1, 'the first call');
    const waiting = ask(forTask());
    await eventually(() => scheduler.callCount === 2, 'the second call');
    await putDown(0);
    expect(await said(waiting)).toBe('model_away');
    expect(chatsOf(a)).toHaveLength(1);
    scheduler.servers.stop();
    cancel.abort();
    expect(await said(first)).toBe('aborted');
  });

  test('what is loaded already is not waited for', async () => {
    const a = await testModel(answers('a', 'm'));
    const { forTask } = place([a]);
    const cancel = new AbortController();
    const first = ask(forTask(), 'm', 'hold', cancel.signal);
    await eventually(() => chatsOf(a).length === 1, 'the first call');
    const load = forTask().chat({ model: 'm', messages: [], stream: false }, { timeoutMs: 20_000 });
    expect(await load).toMatchObject({ ok: true });
    cancel.abort();
    await first;
  });

  test('one that is away is not asked, unless all are', async () => {
    const [a, b] = [await testModel(answers('a', 'm')), await testModel(answers('b', 'm'))];
    const { forTask, scheduler, putDown } = place([a, b]);
    await putDown(0);
    expect(await said(ask(forTask()))).toBe('b');
    scheduler.forgetTask('1');
    await putDown(1);
    scheduler.servers.stop();
    // The call tells how it is; this one is well.
    expect(await said(ask(forTask()))).toBe('b');
  });

  test('one is only asked for the models that it is for, and all that are installed for those are told', async () => {
    const [a, b] = [await testModel(answers('a', 'm', 'big')), await testModel(answers('b', 'm', 'small'))];
    const { forTask } = place([a, b], [['big']]);
    const one = forTask();
    const list = await one.list();
    expect(list.ok && list.value.map(({ name }) => name).toSorted()).toEqual(['big', 'm', 'small']);
    expect(await said(ask(one))).toBe('b');
    expect(await said(ask(one, 'big'))).toBe('a');
    expect(await one.show('small')).toMatchObject({ ok: true });
  });

  test('a model that was deleted on one is asked for on another; a failure names its server', async () => {
    const gone = {
      kind: 'status' as const,
      status: 404,
      body: { error: 'not found' },
      times: 'always' as const,
    };
    const a = await testModel({ models: named('m'), turns: [{ ...say('x'), faults: [gone] }] });
    const b = await testModel(answers('b', 'm'));
    const { forTask } = place([a, b]);
    const one = forTask();
    await one.list();
    expect(await said(ask(one))).toBe('b');
    await b.close();
    expect(await ask(one)).toMatchObject({
      ok: false,
      failure: { code: 'model_unreachable', serverUrl: b.url },
    });
  });

  test('what is installed is told while one of them tells it', async () => {
    const [a, b] = [await testModel(answers('a', 'm')), await testModel(answers('b', 'm'))];
    const { forTask } = place([a, b]);
    await a.close();
    expect(await forTask().list()).toMatchObject({ ok: true, value: [{ name: 'm' }] });
    await b.close();
    expect(await forTask().list()).toMatchObject({ ok: false, failure: { code: 'model_unreachable' } });
  });
});

const pauses = { firstProbeMs: 1_000, lastProbeMs: 30_000 };
const oom = { code: 'model_out_of_memory', message: 'too little memory' };
const slow = { code: 'model_timeout', message: 'no answer in time' };

/** The health of a server that answers probes as `server.isUp` says; `probedAtMs` counts from the beginning. */
function healthOf(server: { isUp: boolean }) {
  const clock = new ManualClock();
  const probedAtMs: number[] = [];
  const changes: boolean[] = [];
  const health: ServerHealth = new ServerHealth({
    ...pauses,
    clock,
    probe: () => {
      probedAtMs.push(clock.monotonicMs());
      return Promise.resolve(server.isUp ? { ok: true, value: '0.12' } : { ok: false, failure: gone });
    },
    onChange: ({ reason }) => changes.push(reason === undefined),
  });
  return { health, clock, probedAtMs, changes };
}

const loads = () => Promise.resolve({ ok: true as const, value: 1 });

describe('whether a model server is up', () => {
  const { signal } = new AbortController();

  test('probes after 1 s, then less and less often up to every 30 s, until there is an answer', async () => {
    const server = { isUp: false };
    const { health, clock, probedAtMs, changes } = healthOf(server);
    expect(await health.attributeFailure(gone, loads)).toBe(true);
    const back = health.waitUntilUp(signal);
    await clock.advance(91_000);
    expect(probedAtMs).toEqual([1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000]);
    expect(health).toMatchObject({ waitingCount: 1, downReason: 'no Ollama server' });
    server.isUp = true;
    await clock.advance(30_000);
    await back;
    expect(health).toMatchObject({ waitingCount: 0, downReason: undefined });
    expect(changes).toEqual([false, true]);
    expect(clock.pending).toBe(0);
  });

  test('a look finds out that nobody is there, and asks a server that is known to be down no more often', async () => {
    const server = { isUp: true };
    const { health, clock, probedAtMs, changes } = healthOf(server);
    await health.check();
    expect(health.downReason).toBeUndefined();
    server.isUp = false;
    await health.check();
    await health.check();
    expect(health.downReason).toBe('no Ollama server');
    await clock.advance(1_000);
    expect(probedAtMs).toEqual([0, 0, 1_000]);
    expect(changes).toEqual([false]);
    health.stop();
    await health.check();
    expect(clock.pending).toBe(0);
  });

  test('a look takes whatever is answered for a server that is there', async () => {
    const health = new ServerHealth({
      ...pauses,
      clock: new ManualClock(),
      probe: () => Promise.resolve({ ok: false, failure: { code: 'model_refused', message: 'HTTP 403' } }),
    });
    await health.check();
    expect(health.downReason).toBeUndefined();
  });

  test('a server that answers and cannot run models is up again when the model of the call loads', async () => {
    const { health, clock, changes } = healthOf({ isUp: true });
    const loadedAtMs: number[] = [];
    let canLoad = false;
    const load = () => {
      loadedAtMs.push(clock.monotonicMs());
      return Promise.resolve(
        canLoad ? { ok: true as const, value: 1 } : { ok: false as const, failure: oom },
      );
    };
    await health.attributeFailure(oom, load);
    const back = health.waitUntilUp(signal);
    await clock.advance(5_000);
    expect(loadedAtMs).toEqual([1_000, 3_000]);
    canLoad = true;
    await clock.advance(2_000);
    await back;
    expect(changes).toEqual([false, true]);
    // The load showed nothing where the call fails again: the pauses grow on, until a call is answered.
    await health.attributeFailure({ code: 'model_busy', message: 'HTTP 429', retryAfterMs: 20_000 }, load);
    await clock.advance(19_000);
    expect(loadedAtMs).toHaveLength(3);
    await clock.advance(1_000);
    expect(health.downReason).toBeUndefined();
    health.recordAnswer();
    await health.attributeFailure(oom, load);
    await clock.advance(1_000);
    expect(loadedAtMs.at(-1)).toBe(28_000);
    health.stop();
  });

  test('leaves a failure to the call where the server answers a probe', async () => {
    const server = { isUp: true };
    const { health } = healthOf(server);
    expect(await health.attributeFailure(slow, loads)).toBe(false);
    expect(await health.attributeFailure({ code: 'model_request_refused', message: 'no' }, loads)).toBe(
      false,
    );
    server.isUp = false;
    expect(await health.attributeFailure(slow, loads)).toBe(true);
    health.stop();
  });

  test('lets a call go whose task is to stop', async () => {
    const { health, clock } = healthOf({ isUp: false });
    await health.attributeFailure(gone, loads);
    const stopping = new AbortController();
    const back = health.waitUntilUp(stopping.signal);
    stopping.abort();
    await back;
    expect(health.waitingCount).toBe(0);
    health.stop();
    expect(clock.pending).toBe(0);
  });
});
