/** What needs no model, the checks on the base and the brief, is done while the model is loaded. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { createOllamaServer } from '../../sidecar/model/ollama-server.ts';
import type { ModelServer } from '../../sidecar/ports.ts';
import { systemClock } from '../../sidecar/system/clock.ts';
import { TaskControl } from '../../sidecar/task/task-control.ts';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import type { ScriptedModelServer } from '../../sidecar/scripted-model/server.ts';
import { DyingJournal } from '../support/dying-journal.ts';
import { eventually } from '../support/eventually.ts';
import { chatsOf, isChat, say, testModel } from '../support/scripted-model.ts';
import { execute, type RunOptions } from '../support/scripted-run.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
let dir: string;
/** Functions and their files; the brief would show all of them. */
const NAMES = ['add', 'sub', 'mul'];
/** Where the check tells that it runs, and is told to go on. */
let signs: string;

beforeEach(() => {
  dir = folder();
  signs = folder();
  mkdirSync(join(dir, 'src'));
  for (const name of NAMES) {
    const lines = Array.from(
      { length: 30 },
      (_, at) => `export const ${name}${at} = (a) => ${name}(a, ${at});\n`,
    );
    writeFileSync(
      join(dir, 'src', `${name}.js`),
      `export const ${name} = (a, b) => a + b;\n${lines.join('')}`,
    );
  }
});

const sign = (name: string) => join(signs, name);
/** A check that runs until it is told to end. */
const slowCheck = () => `echo $$ > ${sign('begun')}; until [ -e ${sign('end')} ]; do sleep 0.02; done`;
const isRunning = () => existsSync(sign('begun')) && readFileSync(sign('begun'), 'utf8') !== '';
const pidOfCheck = () => Number(readFileSync(sign('begun'), 'utf8'));
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);
const endCheck = () => writeFileSync(sign('end'), '');

/** `load`: what becomes of loading the model. */
const script = (
  load: NonNullable<ScenarioInput['endpoints']>[string],
  model: object = {},
): ScenarioInput => ({
  models: [{ name: 'm', ...model }],
  endpoints: { load },
  turns: [{ ...say('Done.'), repeat: 'always' }],
});
const isLoad = ({ path, body }: { path: string; body: unknown }) =>
  path === '/api/chat' && !isChat({ path, body });

const run = (server: ScriptedModelServer, options: Partial<RunOptions> = {}) =>
  execute({
    server,
    dir,
    ...options,
    config: { solving: { strategy: 'loop' }, brief: { seconds: 15 }, ...options.config },
    task: {
      description: `Do ${NAMES.join(', ')} add their arguments?`,
      metadata: { read_only: true },
      file_hints: NAMES.map((name) => `src/${name}.js`),
      verification_steps: [{ type: 'command_succeeds', target: slowCheck() }],
      max_verification_retries: 0,
      ...options.task,
    },
  });

test('the checks run while the model is loaded, and both are over before the first question', async () => {
  const server = await testModel(script([{ kind: 'hold' }]));
  const running = run(server);
  await Promise.all([server.waitForRequest(isLoad), eventually(isRunning, 'the check on the base')]);
  expect(chatsOf(server)).toEqual([]);
  // Each of them alone keeps the question back.
  endCheck();
  await eventually(() => !isAlive(pidOfCheck()), 'the end of the check');
  expect(chatsOf(server)).toEqual([]);
  server.release();
  const { result, events } = await running;
  expect(result).toMatchObject({ status: 'success', verification_report: { status: 'pass' } });
  const texts = events.map(({ text }) => text);
  expect(texts.filter((text) => text === 'Running the checks on the base')).toHaveLength(1);
  expect(texts).toContain('On the base: the check passes');
  expect(chatsOf(server)[0]?.messages[1]?.content).toContain('src/add.js');
});

test('slow checks go on beside the first call, and what they say is known to the result', async () => {
  const server = await testModel(script([]));
  // The minute that they are waited for is over at once.
  const clock = {
    ...systemClock,
    schedule: (delayMs: number, callback: () => void) =>
      systemClock.schedule(delayMs === 60_000 ? 0 : delayMs, callback),
  };
  const running = run(server, { deps: { clock } });
  await server.waitForRequest(isChat);
  await eventually(isRunning, 'the check on the base');
  expect(isAlive(pidOfCheck())).toBe(true);
  endCheck();
  const { events } = await running;
  expect(events.map(({ text }) => text)).toContain('On the base: the check passes');
});

test('a model that cannot be loaded ends the checks, and nothing of them is told', async () => {
  const server = await testModel(script([]));
  const createServer = (baseUrl: string): ModelServer => ({
    ...createOllamaServer({ baseUrl, clock: systemClock }),
    async chat() {
      await eventually(isRunning, 'the check on the base');
      return {
        ok: false,
        failure: { code: 'model_bad_request', message: 'no such format', retryable: false },
      };
    },
  });
  const { result, events } = await run(server, { deps: { createServer } });
  expect(result.error).toContain('no such format');
  expect(isAlive(pidOfCheck())).toBe(false);
  expect(events.filter(({ text }) => text?.startsWith('The base:'))).toEqual([]);
});

test('a task that is cancelled meanwhile leaves neither a load nor a check', async () => {
  const server = await testModel(script([{ kind: 'hold' }]));
  const control = new TaskControl();
  const running = run(server, { execute: { control } });
  const [load] = await Promise.all([
    server.waitForRequest(isLoad),
    eventually(isRunning, 'the check on the base'),
  ]);
  control.stop('cancelled');
  const { result } = await running;
  expect(result.termination_reason).toBe('cancelled');
  expect(isAlive(pidOfCheck())).toBe(false);
  await load.ended;
  expect(load.closedEarly).toBe(true);
});

test('a brief that was gathered for a larger window than the model has is gathered again', async () => {
  endCheck();
  const briefIn = async (contextLength: number) => {
    const server = await testModel(script([], { contextLength }));
    const journal = new DyingJournal();
    const { result } = await run(server, { deps: { journal: () => journal } });
    expect(result.status).toBe('success');
    const [kept, ...others] = journal.read('brief');
    expect(others).toEqual([]);
    return (kept?.body as { tokens: number } | undefined)?.tokens;
  };
  // A quarter of the smaller window.
  expect(await briefIn(32_768)).toBeGreaterThan(1_024);
  expect(await briefIn(4_096)).toBeLessThanOrEqual(1_024);
});
