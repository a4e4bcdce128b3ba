/** A model server that goes away while a task is at work, and comes back. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigInput } from '../../../sidecar/config/schema.ts';
import { Scheduler } from '../../../sidecar/model/servers/scheduler.ts';
import type { ScenarioInput } from '../../../sidecar/scripted-model/scenario.ts';
import { HASTE, hastyClock } from '../../support/hasty-clock.ts';
import { keptLog } from '../../support/kept-log.ts';
import { call, chatsOf, say, scenario, testModel } from '../../support/scripted-model.ts';
import { execute } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';

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
    expect(statuses).toContainEqual(expect.stringMatching(/answers again after .* s: going on$/u));
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
    expect(statuses.filter((text) => text.includes('did not come back'))).toHaveLength(1);
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

  test('with too little memory to load the model at all holds the task, whatever else the ladder names', async () => {
    const load = [{ kind: 'status' as const, status: 500, body: oom, times: 12 }];
    const { result, statuses, server } = await run(
      { models: [{ name: 'little' }, { name: 'm' }], endpoints: { load }, turns: [write, say('All done.')] },
      undefined,
      { model: { ladder: ['little', 'm'] } },
    );
    expect(result).toMatchObject({ status: 'success', output: 'All done.', model_used: 'm' });
    expect(statuses).toContainEqual(expect.stringMatching(/^On hold: .*too little memory/u));
    expect(chatsOf(server).map(({ model }) => model)).toEqual(['m', 'm']);
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
