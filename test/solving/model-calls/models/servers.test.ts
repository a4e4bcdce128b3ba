import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { SentPrompts } from '../../../../sidecar/model/sent-prompts.ts';
import type { ConfigInput } from '../../../../sidecar/base/config/schema.ts';
import { OllamaExecutor } from '../../../../sidecar/solving/executors/ollama-executor.ts';
import { Scheduler } from '../../../../sidecar/model/servers/scheduler.ts';
import type { ScenarioInput } from '../../../../sidecar/model/scripted/scenario.ts';
import type { ScriptedModelServer } from '../../../../sidecar/model/scripted/server.ts';
import { HASTE, hastyClock } from '../../../support/hasty-clock.ts';
import { keptLog } from '../../../support/kept-log.ts';
import { loopAlone } from '../../../support/loop-alone.ts';
import { call, chatsOf, say, scenario, testModel } from '../../../support/scripted-model.ts';
import { execute } from '../../../support/scripted-run.ts';
import { tempFolders } from '../../../support/temp-folder.ts';

/** A model server that goes away while a task is at work, and comes back. */
describe('outage', () => {
  const folder = tempFolders();
  const write = call('write_file', { file_path: 'done.txt', content: 'x' });
  const oom = { error: 'model requires more system memory (5.5 GiB) than is available (3.9 GiB)' };

  /** `onStatus` is told each status; what it returns is not awaited. */
  async function run(
    input: ScenarioInput,
    onStatus: (text: string, parts: { url: string; port: number; close: () => Promise<void> }) => void = () =>
      undefined,
    config: ConfigInput = {},
  ) {
    const server = await testModel(input);
    const parts = { url: server.url, port: Number(new URL(server.url).port), close: () => server.close() };
    const log = keptLog();
    const scheduler = new Scheduler({ clock: hastyClock, logger: log });
    const dir = folder();
    const statuses: string[] = [];
    const { result } = await execute({
      server,
      dir,
      config,
      deps: { clock: hastyClock, scheduler },
      onProgress: ({ event_type: type, text }) => {
        if (type === 'status') statuses.push(text);
        if (type === 'status' || type === 'tool_call') onStatus(text, parts);
      },
    });
    scheduler.servers.stop();
    return { result, statuses, server, log, scheduler, dir };
  }

  describe('a model server that goes away', () => {
    test('holds the task: it goes on at the exact call, its clock stopped meanwhile', async () => {
      let again: Awaited<ReturnType<typeof testModel>> | undefined;
      const { result, statuses, dir, log, scheduler } = await run(
        scenario([write, say('All done.')]),
        (text, { port, close }) => {
          if (text.startsWith('write_file') && text.includes('OK')) void close();
          if (!text.startsWith('On hold')) return;
          const returnAfterMs = 8_000 / HASTE;
          setTimeout(() => {
            void testModel(scenario([write, say('All done.')]), port).then((server) => (again = server));
          }, returnAfterMs);
        },
        // Far less than the outage takes.
        { limits: { agenticTimeoutMs: 400_000 } },
      );
      expect(result).toMatchObject({ status: 'success', output: 'All done.', iterations_used: 2 });
      expect(readFileSync(join(dir, 'done.txt'), 'utf8')).toBe('x');
      expect(statuses).toContainEqual(expect.stringMatching(/^On hold: waiting for the model server/u));
      expect(statuses).toContainEqual(
        expect.stringMatching(/answers again after .* s\. The task continues$/u),
      );
      // The call that failed and no other: the first round is not asked again.
      expect(chatsOf(again!).map(({ messages }) => messages.at(-1)?.role)).toEqual(['tool']);
      expect(log.shown.map(({ message }) => message)).toEqual([
        'The model server is down: calls wait until it answers',
        'The model server is back',
      ]);
      expect(scheduler.servers.downReason).toBeUndefined();
    });

    test('for longer than allowed ends the task with the reason', async () => {
      const { result, statuses } = await run(
        scenario([write, say('never')]),
        (text, { close }) => {
          if (text.startsWith('write_file') && text.includes('OK')) void close();
        },
        { limits: { holdTimeoutMs: 60_000 } },
      );
      expect(result.termination_reason).toBe('model_error');
      expect(result.termination_detail).toContain('model_unreachable');
      expect(statuses.filter((text) => text.includes('holdTimeoutMs'))).toHaveLength(1);
    });

    test('with too little memory is asked with half of the window first', async () => {
      const fault = { kind: 'status' as const, status: 500, body: oom };
      const { result, statuses, server } = await run(
        scenario([write, { ...say('All done.'), faults: [fault] }]),
      );
      expect(result).toMatchObject({ status: 'success', output: 'All done.' });
      expect(chatsOf(server).map(({ options }) => options.num_ctx)).toEqual([32_768, 32_768, 16_384]);
      expect(statuses).toContainEqual(
        expect.stringMatching(/too little memory for m .* 32768 tokens; using 16384/u),
      );
    });

    test('with too little memory for half as well holds the task until there is enough', async () => {
      const fault = { kind: 'status' as const, status: 500, body: oom, times: 12 };
      const { result, statuses } = await run(scenario([write, { ...say('All done.'), faults: [fault] }]));
      expect(result).toMatchObject({ status: 'success', output: 'All done.' });
      expect(statuses.filter((text) => text.startsWith('On hold')).length).toBeGreaterThan(1);
    });

    test('with too little memory to load the model at all ends the task after three tries, and names what would fit', async () => {
      const { result, statuses, server } = await run({
        models: [
          { name: 'm', sizeBytes: 19e9, loadError: { times: 'always' } },
          { name: 'little:3b', sizeBytes: 2e9 },
          { name: 'nomic-embed-text', sizeBytes: 3e8 },
        ],
        turns: [write, say('All done.')],
      });
      expect(result.error).toMatch(
        /^model_error after 0 iterations: model_out_of_memory: .*21\.3 GiB.* Use a smaller model than m \(17\.7 GiB\): little:3b \(1\.9 GiB\), or a window smaller than 16384 tokens: set ollama\.maxContextTokens to 8192$/u,
      );
      expect(statuses.filter((text) => /On hold|retry/u.test(text))).toEqual([
        expect.stringContaining('retry 1 of 2'),
        expect.stringContaining('retry 2 of 2'),
      ]);
      expect(chatsOf(server)).toEqual([]);
    });

    test('a call that fails while the server is well is its own fault in the end', async () => {
      const fault = { kind: 'status' as const, status: 500, body: { error: 'no' }, times: 'always' as const };
      const { result } = await run(scenario([write, { ...say('x'), faults: [fault] }]));
      expect(result.termination_detail).toContain('model_server_error');
    });

    test('a model that is deleted meanwhile fails the task with what is installed', async () => {
      const gone = { kind: 'status' as const, status: 404, body: { error: "model 'm' not found" } };
      const models = [{ name: 'm' }, { name: 'other' }];
      const { result } = await run(scenario([write, { ...say('x'), faults: [gone] }], { models }));
      expect(result.termination_detail).toMatch(/model_not_found.*installed: m, other/u);
    });

    test('a model that is deleted meanwhile is pulled where that is allowed', async () => {
      const gone = { kind: 'status' as const, status: 404, body: { error: "model 'm' not found" } };
      const { result, statuses } = await run(
        scenario([write, { ...say('All done.'), faults: [gone] }]),
        undefined,
        { ollama: { autoPull: true } },
      );
      expect(result).toMatchObject({ status: 'success', output: 'All done.' });
      expect(statuses).toContain('Pulling m');
    });
  });
});

/** A task on several model servers, of which one goes away. */
describe('several servers', () => {
  const folder = tempFolders();
  const write = call('write_file', { file_path: 'done.txt', content: 'x' });
  const turns = [write, say('All done.')];

  async function run(
    servers: ScriptedModelServer[],
    afterWrite: () => void | Promise<void> = () => undefined,
  ) {
    const statuses: string[] = [];
    const urls = servers.map(({ url }) => url);
    const scheduler = new Scheduler({
      clock: hastyClock,
      servers: urls.map((url) => ({ url, slots: 1 })),
    });
    const executor = new OllamaExecutor({
      config: {
        ...loopAlone,
        sandbox: { mode: 'off' },
        ollama: { endpoints: urls.map((url) => ({ url })) },
      },
      clock: hastyClock,
      scheduler,
    });
    const task = {
      task_id: 't1',
      description: 'Do it',
      agentic: true,
      routing_decision: { selected_model: 'm' },
    };
    const result = await executor.execute(task, { repo_dir: folder() }, ({ event_type: type, text }) => {
      if (type === 'status') statuses.push(text);
      if (text.startsWith('write_file') && text.includes('OK')) void afterWrite();
    });
    scheduler.servers.stop();
    return { result, statuses, servers: scheduler.servers, scheduler };
  }

  const askedIn = (server: ScriptedModelServer) =>
    chatsOf(server).map(({ messages }) => messages.at(-1)?.role);

  test('the next call goes to another server, and the task is not held', async () => {
    const [a, b] = [await testModel(scenario(turns)), await testModel(scenario(turns))];
    const { result, statuses, servers, scheduler } = await run([a, b], () => a.close());
    expect(result).toMatchObject({ status: 'success', output: 'All done.', iterations_used: 2 });
    expect(askedIn(a)).toEqual(['user']);
    expect(askedIn(b)).toEqual(['tool']);
    expect(statuses).toContain(`The task now uses the model server ${b.url}`);
    expect(statuses.filter((text) => text.startsWith('On hold'))).toEqual([]);
    expect(scheduler.serverStates.map(({ url, downReason }) => ({ url, downReason }))).toEqual([
      { url: a.url, downReason: expect.stringContaining('no Ollama server') },
      { url: b.url },
    ]);
    // One is enough to work.
    expect(servers.downReason).toBeUndefined();
  });

  test('one that fails on its side is left at once, without the pauses of a retry', async () => {
    const fault = {
      kind: 'status' as const,
      status: 502,
      body: { error: 'bad gateway' },
      times: 'always' as const,
    };
    const a = await testModel(scenario([write, { ...say('never'), faults: [fault] }]));
    const b = await testModel(scenario(turns));
    const { result, statuses } = await run([a, b]);
    expect(result).toMatchObject({ status: 'success', output: 'All done.' });
    expect(askedIn(a)).toEqual(['user', 'tool']);
    expect(statuses.filter((text) => /; retry \d of/u.test(text))).toEqual([]);
  });

  test('with all of them away the task is held until one is back', async () => {
    const [a, b] = [await testModel(scenario(turns)), await testModel(scenario(turns))];
    const port = Number(new URL(b.url).port);
    let again: ScriptedModelServer | undefined;
    const { result, statuses, servers } = await run([a, b], async () => {
      await Promise.all([a.close(), b.close()]);
      setTimeout(() => void testModel(scenario(turns), port).then((server) => (again = server)), 100);
    });
    expect(result).toMatchObject({ status: 'success', output: 'All done.' });
    expect(statuses).toContainEqual(expect.stringMatching(/^On hold: .*no Ollama server at /u));
    expect(askedIn(again!)).toEqual(['tool']);
    expect(servers.downReason).toBeUndefined();
  });

  test('with the only one away that has the model the task is held: the other one is no help', async () => {
    const a = await testModel(scenario(turns));
    const b = await testModel(scenario(turns, { models: [{ name: 'other' }] }));
    const port = Number(new URL(a.url).port);
    let again: ScriptedModelServer | undefined;
    const { result, statuses } = await run([a, b], async () => {
      await a.close();
      setTimeout(() => void testModel(scenario(turns), port).then((server) => (again = server)), 100);
    });
    expect(result).toMatchObject({ status: 'success', output: 'All done.' });
    expect(statuses.filter((text) => text.startsWith('On hold'))).toHaveLength(1);
    expect(askedIn(again!)).toEqual(['tool']);
    expect(askedIn(b)).toEqual([]);
  });

  test('a server that only a task named keeps the worker from nothing', async () => {
    const { servers } = new Scheduler({
      clock: hastyClock,
      servers: [{ url: 'http://127.0.0.1:9', slots: 1 }],
    });
    const named = servers.getOrAdd({ url: 'http://127.0.0.1:19', slots: 1 }).condition;
    expect(
      await named.attributeFailure({ code: 'model_unreachable', message: 'no Ollama server' }, undefined),
    ).toBe(true);
    expect(servers.downReason).toBeUndefined();
    expect(servers.downNotice).toContain('1 of 2 model servers are down');
    servers.stop();
  });
});

describe('reading speed', () => {
  const folder = tempFolders();

  test('how fast a server reads is learned in the loop, where no drafts are made', async () => {
    const speed = { promptTokensPerSecond: 5_000, tokensPerSecond: 40 };
    const turns = [call('list_directory'), call('write_file', { file_path: 'a', content: 'x' }), say('done')];
    const server = await testModel(scenario(turns, { speed }));
    const scheduler = new Scheduler();
    await execute({ server, dir: folder(), deps: { scheduler } });
    expect(Math.round(scheduler.servers.speeds.speedOf('m') ?? 0)).toBe(5_000);
  });

  describe('what of a prompt is new to the server', () => {
    const request = (...texts: string[]) => ({
      messages: texts.map((content) => ({ role: 'user' as const, content })),
    });
    const long = 'a'.repeat(900);

    test('all of the first, the rest of one that goes on, nothing of the same', () => {
      const sent = new SentPrompts();
      expect(sent.add(request(long))).toBe(1);
      expect(sent.add(request(long, 'b'.repeat(900)))).toBeCloseTo(0.5, 1);
      expect(sent.add(request(long))).toBeLessThan(0.01);
      expect(sent.add(request('c', long))).toBeGreaterThan(0.9);
    });
  });
});
