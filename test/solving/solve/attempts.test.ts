/** A task that does not end verified is tried again in the same task: from the best tree, otherwise, by the next model. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CostLedger } from '../../../sidecar/worker/ledger/cost-ledger.ts';
import { TaskControl } from '../../../sidecar/solving/task/task-control.ts';
import type { ExecutionEvent } from '../../../sidecar/base/protocol/events.ts';
import type { TaskInput } from '../../../sidecar/base/protocol/task.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import { prepareWorkspace } from '../../../sidecar/workspace/prepare-workspace.ts';
import { deathsOf, DyingJournal, Killed } from '../../support/dying-journal.ts';
import { ManualClock, unhurriedCalls } from '../../support/manual-clock.ts';
import { call, chatsOf, say, testModel } from '../../support/scripted-model.ts';
import { execute, type RunOptions } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import { answer, CHECK, nothing, right, WRONG, type Turns } from '../drafts/draft-runs.ts';
import { cleanUp, places, repository } from '../../workspace/repositories.ts';

const folder = tempFolders();
afterAll(cleanUp);
let dir: string;

const adds = { type: 'command_succeeds', target: CHECK };
const hasMath = { type: 'file_contains', target: 'src/add.js', contains: 'Math' };
const files = { 'package.json': '{"type":"module"}\n', 'src/add.js': WRONG };

beforeEach(() => {
  dir = folder();
  mkdirSync(join(dir, 'src'));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(dir, path), text);
});

const source = (at = dir) => readFileSync(join(at, 'src/add.js'), 'utf8');

/** What the model answers in each attempt, first attempt first; the last list also stands for those after it. */
function script(attempts: readonly Turns[], models = ['m']): ScenarioInput {
  const scripts = attempts.map((turns, index) => ({
    name: `attempt ${index + 1}`,
    when: index === 0 ? {} : { contains: `- Attempt ${index} ` },
    turns: [...turns, { ...nothing, repeat: 'always' as const }],
  }));
  return { models: models.map((name) => ({ name })), scripts: scripts.toReversed() };
}

type Options = Partial<RunOptions> & { task?: Partial<TaskInput>; models?: string[] };

const config = { solving: { strategy: 'drafts' as const, drafts: 1 }, brief: { seconds: 15 } };
const loop = { solving: { strategy: 'loop' as const }, brief: { seconds: 15 } };
const task = {
  description: 'add(1, 2) returns -1; it should return 3.',
  file_hints: ['src/add.js'],
  verification_steps: [adds],
  max_verification_retries: 0,
  metadata: { attempts: 3 },
};

async function run(attempts: readonly Turns[], { models, ...options }: Options = {}) {
  const server = await testModel(script(attempts, models));
  const { result, events } = await execute({
    server,
    dir,
    config,
    ...options,
    task: { ...task, ...options.task },
  });
  const rows = events.filter(({ attempt }) => attempt !== undefined);
  return { result, events, rows, chats: chatsOf(server) };
}

describe('a task that is not verified', () => {
  test('is tried again, otherwise, and told what was tried', async () => {
    const { result, rows, chats } = await run([[answer('return a * b;', 'It should multiply.')], [right]]);
    expect(result).toMatchObject({
      status: 'success',
      verification_status: 'verified',
      iterations_used: 2,
      output: 'It subtracts.\n\nDraft 1 of 1 passes the checks.\n\nAttempt 2 (m) passes the checks.',
    });
    expect(source()).toContain('a + b');
    expect(rows.map(({ text }) => text)).toEqual([
      'Attempt 1 of at most 3 with m',
      'Attempt 2 of at most 3 with m: attempt 1 did not solve the task (0 of 1 checks pass (1 test fails)); this attempt begins from the base',
    ]);
    expect(rows[1]?.attempt).toMatchObject({ number: 2, model: 'm' });
    expect(chats.map(({ options }) => options)).toMatchObject([
      { temperature: 0, seed: 1 },
      { temperature: 0.8, seed: 101 },
    ]);
    const [first, second] = chats.map(({ messages }) => messages.at(-1)?.content ?? '');
    expect(first).not.toContain('Earlier attempts');
    expect(second).toContain(
      '- Attempt 1 changed nothing: 0 of 1 checks pass (1 test fails); failing: adds. The model said: "It should multiply.',
    );
    // The server has read everything before that paragraph.
    expect(second?.startsWith(first?.split('# Answer')[0] ?? '?')).toBe(true);
  });

  test('begins again with the base where nothing is better than that', async () => {
    const spoil = [
      call('write_file', { path: 'src/new.js', content: 'export {};\n' }),
      call('shell', { command: 'echo "export const add = () => 0;" > src/add.js; rm package.json' }),
    ];
    let seen = '';
    const { result, chats } = await run([spoil, [nothing]], {
      config: loop,
      onProgress: ({ text }) => {
        if (text.startsWith('Attempt 2'))
          seen = [
            source(),
            existsSync(join(dir, 'src/new.js')),
            existsSync(join(dir, 'package.json')),
          ].join();
      },
      task: { metadata: { attempts: 2 } },
    });
    expect(seen).toBe([WRONG, false, true].join());
    expect(result.output).toContain('None of 2 attempts is verified.');
    const second = chats.find(({ messages }) =>
      messages.some(({ content }) => content.includes('# Earlier attempts')),
    );
    expect(second?.messages[1]?.content).toContain('Its changes were undone.');
    expect(second?.options).toMatchObject({ temperature: 0.6, seed: 100 });
  });

  test('goes on from the best tree, which is handed back where no attempt is verified', async () => {
    const { result, chats, rows } = await run([[answer('return Math.max(a, b);')], [answer('return 0;')]], {
      task: { verification_steps: [adds, hasMath], metadata: { attempts: 2 } },
    });
    expect(result).toMatchObject({
      status: 'partial',
      verification_status: 'partial_pass',
      changes: { files: [{ path: 'src/add.js' }] },
    });
    expect(result.output).toContain('This is attempt 1 (m), which came closest.');
    expect(result.changes.patch).toContain('+  return Math.max(a, b);');
    expect(source()).toContain('Math.max');
    const question = chats.at(-1)?.messages.at(-1)?.content;
    expect(question).toContain('return Math.max(a, b);');
    expect(question).toContain('Its changes are in the files.');
    expect(rows[1]?.text).toContain('this attempt begins with the changes of attempt 1');
  });

  test('an earlier tree comes back where a later attempt made it worse', async () => {
    const half = call('shell', {
      command: `echo 'export const add = (a, b) => Math.max(a, b);' > src/add.js`,
    });
    const worse = call('shell', { command: `echo 'export const add = 0;' > src/add.js; touch left.txt` });
    const { result } = await run([[half], [worse]], {
      config: loop,
      task: { verification_steps: [adds, hasMath], metadata: { attempts: 2 } },
    });
    expect(result).toMatchObject({ status: 'partial', completed: ['file_contains src/add.js'] });
    expect(result.changes.files.map(({ path }) => path)).toEqual(['src/add.js']);
    expect(source()).toContain('Math.max');
    expect(existsSync(join(dir, 'left.txt'))).toBe(false);
  });

  test('is tried again where its checks pass because they were changed, and not from that tree', async () => {
    writeFileSync(
      join(dir, 'add.test.js'),
      `import { add } from './src/add.js';\nif (add(1, 2) !== 3) process.exit(1);\n`,
    );
    const cheat = call('shell', { command: 'echo "process.exit(0);" > add.test.js' });
    const mend = call('shell', { command: `sed -i 's/a - b/a + b/' src/add.js` });
    const { result, rows } = await run([[cheat], [mend]], {
      config: loop,
      task: {
        verification_steps: [{ type: 'command_succeeds', target: 'node add.test.js' }],
        metadata: { attempts: 2 },
      },
    });
    expect(rows[1]?.text).toMatch(
      /attempt 1 did not solve the task \(the check passes, but: .*add\.test\.js.*\); this attempt begins from the base$/u,
    );
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(result.changes.files.map(({ path }) => path)).toEqual(['src/add.js']);
  });

  test('what a person said is not forgotten', async () => {
    const control = new TaskControl();
    const { chats } = await run([[call('ls'), nothing], [nothing]], {
      config: loop,
      execute: { control },
      onProgress: ({ event_type, phase }) => {
        if (
          event_type === 'tool_call' &&
          phase === 'finished' &&
          control.steering.deliveredTexts.length === 0
        )
          control.steer('Use the plus sign.');
      },
    });
    const second = chats.find(({ messages }) => messages[1]?.content.includes('# Earlier attempts'));
    expect(second?.messages[1]?.content).toContain('The operator said: Use the plus sign.');
  });

  test('each attempt has turns and reminders of its own', async () => {
    const looks = [call('ls'), call('glob', { pattern: '*' })];
    const { result, rows } = await run([looks, looks, looks], {
      config: loop,
      task: { metadata: { attempts: 3, max_iterations: 2 } },
    });
    expect(rows).toHaveLength(3);
    expect(result).toMatchObject({ iterations_used: 6, termination_reason: 'max_iterations' });
  });
});

describe('the time of a task', () => {
  const silent = { ...nothing, faults: [{ kind: 'silent' as const, times: 'always' as const }] };
  const timed = (timeoutMs: number) => {
    const clock = new ManualClock();
    const control = new TaskControl();
    return {
      control,
      config: { ...config, ollama: unhurriedCalls },
      deps: { clock },
      execute: { control },
      task: { metadata: { attempts: 3, timeout_ms: timeoutMs } },
      onProgress: ({ text, phase }: ExecutionEvent) => {
        if (phase === 'started' && text.startsWith('Draft 1')) void clock.advance(SHARE_MS);
      },
    };
  };
  const SHARE_MS = 100_000;

  test('is shared: an attempt that has had its part makes room for the next one', async () => {
    const options = timed(3 * SHARE_MS);
    let usedMs = 0;
    const { result, rows } = await run([[silent], [answer('return Math.max(a, b);')], [right]], {
      ...options,
      onProgress: (event) => {
        if (event.text.startsWith('Attempt 2')) usedMs = options.control.usedMs;
        if (usedMs === 0) options.onProgress(event);
      },
    });
    expect(usedMs).toBe(SHARE_MS);
    expect(rows[1]?.text).toContain('attempt 1 did not solve the task (');
    expect(result).toMatchObject({
      verification_status: 'verified',
      output: expect.stringContaining('Attempt 3'),
    });
  });

  test('is all for the first attempt where a share would be less than a first answer takes', async () => {
    const { result, rows } = await run([[silent]], timed(60_000));
    expect(rows).toHaveLength(1);
    expect(result).toMatchObject({ termination_reason: 'timeout' });
  });

  test('is over when the last attempt has had what is left of it', async () => {
    const { result, rows } = await run([[silent], [silent], [silent]], timed(3 * SHARE_MS));
    expect(rows).toHaveLength(3);
    expect(result).toMatchObject({ status: 'failed', termination_reason: 'timeout' });
  });
});

describe('a ladder of models', () => {
  test('gives the next attempt to the next model', async () => {
    const { result, chats } = await run([[answer('return a * b;')], [right]], {
      models: ['m', 'large'],
      task: { metadata: { models: ['m', 'large'] } },
    });
    expect(chats.map(({ model }) => model)).toEqual(['m', 'large']);
    expect(chats[1]?.options).toMatchObject({ temperature: 0 });
    expect(result).toMatchObject({ verification_status: 'verified', model_used: 'large' });
  });

  test('goes on without a model that is not installed, and says so once', async () => {
    const { result, events, chats } = await run([[answer('return a * b;')], [answer('return a;')], [right]], {
      models: ['m'],
      config: { ...config, model: { ladder: ['m', 'missing'] } },
      task: { metadata: { attempts: 4 } },
    });
    expect(chats.map(({ model }) => model)).toEqual(['m', 'm', 'm']);
    expect(result).toMatchObject({ verification_status: 'verified', model_used: 'm' });
    const told = events.filter(({ text }) => text.includes('missing in the model ladder is not installed'));
    expect(told).toHaveLength(1);
  });

  test('begins with its first model that is installed', async () => {
    const { result, chats } = await run([[right]], {
      models: ['m', 'large'],
      task: { metadata: { models: ['missing', 'large'] } },
    });
    expect(chats.map(({ model }) => model)).toEqual(['large']);
    expect(result.output).toBe('It subtracts.\n\nDraft 1 of 1 passes the checks.');
  });

  test('stays with the model that it has where the next one cannot be made ready', async () => {
    const server = await testModel({
      ...script([[answer('return a * b;')], [right]]),
      models: [{ name: 'm' }, { name: 'embedder', capabilities: ['embedding'] }],
    });
    const { result } = await execute({
      server,
      dir,
      config,
      task: { ...task, metadata: { models: ['m', 'embedder'] } },
    });
    expect(result).toMatchObject({ verification_status: 'verified', model_used: 'm' });
  });
});

describe('there is no second attempt', () => {
  test('at a task without checks', async () => {
    const same = answer('return a * b;');
    const { result, rows } = await run([[same, same], [right]], {
      config: { ...config, solving: { ...config.solving, drafts: 2 } },
      task: { verification_steps: [] },
    });
    expect(result.verification_status).toBe('unverified');
    expect(rows).toHaveLength(1);
  });

  test('when the tokens of the task are used up: all attempts have one budget', async () => {
    const costly = { ...answer('return a * b;'), tokensIn: 900, tokensOut: 100 };
    const { result, chats } = await run([[costly], [right]], {
      deps: { ledger: new CostLedger({}) },
      task: { budget: { max_tokens: 1_100 } },
    });
    expect(result.termination_reason).toBe('budget_exhausted');
    expect(chats).toHaveLength(1);
  });

  test('after a cancel', async () => {
    const control = new TaskControl();
    const { result, rows } = await run([[answer('return a * b;')], [right]], {
      execute: { control },
      onProgress: ({ text }) => {
        if (text.startsWith('Attempt 2')) control.stop('cancelled');
      },
    });
    expect(result.termination_reason).toBe('cancelled');
    expect(rows).toHaveLength(2);
  });

  test('when the time is over: the best so far is handed back', async () => {
    const control = new TaskControl();
    const { result, rows } = await run([[answer('return Math.max(a, b);')], [right]], {
      execute: { control },
      onProgress: ({ text }) => {
        if (text.startsWith('Attempt 2')) control.stop('timeout');
      },
      task: { verification_steps: [adds, hasMath] },
    });
    expect(result).toMatchObject({ status: 'partial', termination_reason: 'timeout' });
    expect(result.output).toContain('attempt 1 (m), which came closest');
    expect(rows).toHaveLength(2);
  });

  test('unless the task or the configuration asks for one', async () => {
    const { result, rows } = await run([[answer('return a * b;')], [right]], { task: { metadata: {} } });
    expect(result).toMatchObject({ status: 'failed', iterations_used: 1 });
    expect(rows).toEqual([]);
  });
});

describe('a worker that is killed', () => {
  test('goes on in the attempt where it was, and each attempt is made once', async () => {
    const edit = (content: string) =>
      call('write_file', { file_path: 'src/add.js', content, overwrite: true });
    const holds = (text: string) => ({ type: 'command_succeeds', target: `grep -q '${text}' src/add.js` });
    const repo = repository(files);
    const server = await testModel(
      script([
        [edit('export const add = (a, b) => Math.max(a, b);'), say('First.')],
        [edit('export const add = (a, b) => a + b + 0 * Math.PI;'), say('Second.')],
      ]),
    );
    const live = async (journal: DyingJournal, where = places()) => {
      const workspace = await prepareWorkspace({ ...where, task: { task_id: 't1', repo } });
      if (!workspace.ok) throw new Error(workspace.failure.message);
      const { result } = await execute({
        server,
        config: loop,
        task: { ...task, verification_steps: [holds('a + b'), holds('Math')], metadata: { attempts: 2 } },
        execute: { workspace: workspace.value, control: new TaskControl(journal) },
      });
      return { result, at: workspace.value.dir };
    };
    const whole = new DyingJournal();
    const undisturbed = await live(whole);
    expect(undisturbed.result).toMatchObject({ verification_status: 'verified', iterations_used: 4 });
    const stages = new Set(whole.entries.map(({ stage }) => stage));
    expect([...stages]).toEqual(expect.arrayContaining(['run', 'attempt-2/run']));
    for (const append of new Set(deathsOf(whole).map(({ append }) => append))) {
      const where = places();
      const first = new DyingJournal({ append, written: false });
      await expect(live(first, where)).rejects.toThrow(Killed);
      const before = chatsOf(server).length;
      const second = new DyingJournal(undefined, first);
      const { result, at } = await live(second, where);
      expect([append, result]).toMatchObject([
        append,
        { verification_status: 'verified', iterations_used: 4 },
      ]);
      expect(result.output).toBe(undisturbed.result.output);
      expect(source(at)).toContain('Math.PI');
      // Answers that the first life has written down are not asked for again.
      const answers = second.entries.filter(({ kind }) => kind === 'answer').length;
      const known = first.entries.filter(({ kind }) => kind === 'answer').length;
      expect(chatsOf(server).length - before).toBe(answers - known);
    }
  }, 300_000);
});
