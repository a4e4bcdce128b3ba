import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { configSchema, type ConfigInput } from '../../../sidecar/base/config/schema.ts';
import { ModelCatalog } from '../../../sidecar/model/catalog.ts';
import { createOllamaServer } from '../../../sidecar/model/ollama-server.ts';
import { taskSchema } from '../../../sidecar/base/protocol/task.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import type { ScriptedModelServer } from '../../../sidecar/model/scripted/server.ts';
import {
  planAttempts,
  listAttemptModels,
  chooseSolvingProfile,
} from '../../../sidecar/solving/solve/solving-options.ts';
import { systemClock } from '../../../sidecar/base/system/clock.ts';
import { TaskControl } from '../../../sidecar/solving/task/task-control.ts';
import { draftRuns, nothing, RUNNING_CHECK, task } from '../drafts/draft-runs.ts';
import { DyingJournal } from '../../support/dying-journal.ts';
import { eventually } from '../../support/eventually.ts';
import { clockWithHaste } from '../../support/hasty-clock.ts';
import { call, chatsOf, isChat, say, testModel, verbatim } from '../../support/scripted-model.ts';
import { execute, type RunOptions } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import type { ModelServer } from '../../../sidecar/model/chat.ts';

/** What needs no model, the checks on the base and the brief, is done while the model is loaded. */
describe('survey', () => {
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
    expect(texts).toContain('Before the task: the check passes');
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
    expect(events.map(({ text }) => text)).toContain('Before the task: the check passes');
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
      const { result } = await run(server);
      expect(result.status).toBe('success');
      return chatsOf(server)[0]?.messages.find(({ role }) => role === 'user')?.content.length;
    };
    expect(await briefIn(32_768)).toBeGreaterThan(3_000);
    expect(await briefIn(4_096)).toBeLessThanOrEqual(2_500);
  });
});

/** A question about a repository is put without tools first; what the brief does not say is looked for in the loop. */
describe('direct answer', () => {
  const folder = tempFolders();
  const question = 'How long does connect() in retry.js wait?';

  type Turns = NonNullable<ScenarioInput['turns']>;

  /** `answers`: to the question without tools; `loop`: to what comes after. */
  async function run(
    [answers, loop = []]: [answers: Turns, loop?: Turns],
    { task, solving = {}, ...more }: Partial<Omit<RunOptions, 'server' | 'dir'>> & { solving?: object } = {},
  ) {
    const dir = folder();
    writeFileSync(join(dir, 'retry.js'), 'export const connect = () => wait(30);\n');
    const server = await testModel({
      models: [{ name: 'm' }],
      scripts: [{ name: 'answer', when: { system: 'You answer questions' }, turns: answers }],
      ...(loop.length > 0 && { turns: loop }),
    });
    const { result, events } = await execute({
      server,
      dir,
      config: { brief: { seconds: 15 }, solving },
      ...more,
      task: { description: question, metadata: { read_only: true }, ...task },
    });
    return { result, chats: chatsOf(server), said: events.map(({ text }) => text) };
  }

  describe('a question about a repository', () => {
    test('is answered from the brief, in one call without tools', async () => {
      const { result, chats } = await run([[verbatim('retry.js waits for 30 seconds.')]]);
      expect(result).toMatchObject({
        status: 'success',
        output: 'retry.js waits for 30 seconds.',
        iterations_used: 1,
      });
      expect(chats).toHaveLength(1);
      expect(chats[0]).not.toHaveProperty('tools');
      const shown = chats[0]?.messages.at(-1)?.content ?? '';
      expect(shown).toContain('export const connect = () => wait(30);');
      expect(shown).toContain(question);
    });

    test.each(['NOT SHOWN', '**NOT SHOWN.** The file is missing.', ''])(
      'is looked for with tools where the answer is %j',
      async (first) => {
        const { result, chats, said } = await run([
          [verbatim(first)],
          [call('read_file', { file_path: 'retry.js' }), say('30 seconds.')],
        ]);
        expect(result).toMatchObject({ status: 'success', output: '30 seconds.' });
        expect(chats[1]).toHaveProperty('tools');
        expect(said).toContain('The brief does not contain the answer; the model continues with tools');
      },
    );

    test.each([
      ['only the loop is wanted', { solving: { strategy: 'loop' } }],
      ['the task changes files', { task: { metadata: { read_only: false } }, solving: { drafts: 0 } }],
    ])('has tools at once where %s', async (_why, options) => {
      const { chats } = await run(
        [[verbatim('No.')], [{ ...say('30 seconds.'), repeat: 'always' }]],
        options,
      );
      expect(chats[0]).toHaveProperty('tools');
    });

    test('of a worker that died is not put again', async () => {
      const journal = new DyingJournal();
      const life = () => ({ execute: { control: new TaskControl(journal) } });
      const first = await run([[verbatim('30 seconds.')]], life());
      const again = await run([[verbatim('60 seconds.')]], life());
      expect(again.chats).toHaveLength(0);
      expect(again.result.output).toBe(first.result.output);
    });

    test('is put in a later attempt, too, where the earlier ones used up the turns of the loop', async () => {
      const { chats } = await run([[verbatim('60 seconds.'), verbatim('30 seconds.')]], {
        task: {
          metadata: { read_only: true, attempts: 2, max_iterations: 1 },
          max_verification_retries: 0,
          verification_steps: [{ type: 'file_exists', target: 'answer.txt' }],
        },
      });
      expect(chats).toHaveLength(2);
    });

    test('that a person adds to is not ended by the first answer', async () => {
      const control = new TaskControl();
      control.steer('And which unit is that?');
      const { result, chats } = await run([[verbatim('30.')], [say('30 seconds.')]], {
        execute: { control },
      });
      expect(result.output).toBe('30 seconds.');
      expect(JSON.stringify(chats[1]?.messages)).toContain('And which unit is that?');
    });
  });
});

/** How often a task is tried, by which models, and in which steps. */
const plan = (metadata: object, config: object = {}, selected_model?: string) =>
  planAttempts(
    taskSchema.parse({ task_id: 't', description: 'd', metadata, routing_decision: { selected_model } }),
    configSchema.parse(config),
  );

test.each([
  ['once where nobody says more', plan({}), { count: 1, models: [] }],
  ['as the configuration says', plan({}, { solving: { attempts: 3 } }), { count: 3, models: [] }],
  [
    'as the task says, before the configuration',
    plan({ attempts: 2 }, { solving: { attempts: 3 } }),
    { count: 2, models: [] },
  ],
  [
    'once for each model of a ladder',
    plan({}, { model: { ladder: ['a', 'b'] } }),
    { count: 2, models: ['a', 'b'] },
  ],
  [
    "with the task's models in place of the operator's",
    plan({ models: ['c', 'd', 'e'] }, { model: { ladder: ['a', 'b'] }, solving: { attempts: 2 } }),
    { count: 3, models: ['c', 'd', 'e'] },
  ],
  [
    'from the model on that the task names',
    plan({}, { model: { ladder: ['a', 'b', 'c'] } }, 'b'),
    { count: 2, models: ['b', 'c'] },
  ],
  [
    'after a model that is not in the ladder',
    plan({}, { model: { ladder: ['a'] } }, 'x'),
    { count: 2, models: ['x', 'a'] },
  ],
  ['without what cannot be meant', plan({ attempts: -1, models: 'a' }), { count: 1, models: [] }],
])('a task is tried %s', (_how, made, wanted) => {
  expect(made).toEqual(wanted);
});

test('attempts are shared evenly among the models, first models first', () => {
  const turns = (count: number, models: string[]) =>
    Array.from({ length: count }, (_, index) => listAttemptModels({ count, models }, index + 1)[0]);
  expect(turns(4, ['a', 'b'])).toEqual(['a', 'a', 'b', 'b']);
  expect(turns(3, ['a', 'b'])).toEqual(['a', 'a', 'b']);
  expect(turns(2, ['a', 'b', 'c'])).toEqual(['a', 'b']);
  expect(turns(2, [])).toEqual([undefined, undefined]);
  expect(listAttemptModels({ count: 3, models: ['a', 'b', 'c'] }, 2)).toEqual(['b', 'c']);
});

const entry = new ModelCatalog({
  profiles: [{ match: { name: 'm*' }, solving: { drafts: 2, repairs: 2 } }],
}).findEntry('m');

const solving = (config: ConfigInput['solving'], metadata: Record<string, unknown> = {}) =>
  chooseSolvingProfile(
    {
      task: taskSchema.parse({ task_id: 't', description: 'Fix it', metadata }),
      config: configSchema.parse({ solving: config }),
    },
    entry,
  );

test('the configuration wins over the profile, and leaves alone what it does not name', () => {
  expect(solving({})).toMatchObject({ strategy: 'auto', drafts: 2, repairs: 2 });
  expect(solving({ repairs: 0 })).toMatchObject({ drafts: 2, repairs: 0 });
});

test('the task wins over both, unless it says nonsense', () => {
  expect(solving({ drafts: 5 }, { drafts: 1, strategy: 'loop' })).toMatchObject({
    drafts: 1,
    strategy: 'loop',
  });
  expect(solving({ drafts: 5 }, { drafts: 'many', strategy: 'luck' })).toMatchObject({
    drafts: 5,
    strategy: 'auto',
  });
});

/** Checks between the rounds of a loop, in a copy of the tree. */
const { run, source } = draftRuns();

const edit = (from: string, to: string) =>
  call('edit_file', { file_path: 'src/add.js', old_string: from, new_string: to });

test('checks that a change makes run for ever are stopped early, and the model is told and goes on', async () => {
  const { result, chats } = await run(
    [nothing],
    [edit('return a - b;', 'for (;;);'), edit('for (;;);', 'return a + b;'), say('Done.')],
    {
      config: { solving: { strategy: 'loop' }, brief: { seconds: 15 } },
      deps: { clock: clockWithHaste(10) },
      task: { verification_steps: [{ type: 'command_succeeds', target: RUNNING_CHECK }] },
    },
  );
  expect(chats[1]?.messages.at(-1)?.content).toMatch(
    /Checks: 0 of 1 pass\.[\s\S]*Not finished within [\d ]+ms/u,
  );
  expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 3 });
  expect(source()).toContain('return a + b;');
});

test('whether all is committed is not held against a change that the worker commits later', async () => {
  const { result, chats } = await run([nothing], [edit('return a - b;', 'return a + b;'), say('Done.')], {
    task: { verification_steps: [...task.verification_steps, { type: 'git_clean' }] },
    config: { solving: { strategy: 'loop' } },
  });
  expect(JSON.stringify(chats.map(({ messages }) => messages))).not.toContain('uncommitted');
  expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 2 });
});
