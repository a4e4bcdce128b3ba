/** A loop that another stage has prepared: it knows the files that are shown and what the checks said at first. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ConfigInput } from '../../../sidecar/config/schema.ts';
import { agentLoop, type AgentLoopOptions } from '../../../sidecar/execution/agent-loop/agent-loop.ts';
import { checkTree } from '../../../sidecar/execution/checking/check-tree.ts';
import { executeTask } from '../../../sidecar/execution/execute-task.ts';
import { loopChecks } from '../../../sidecar/execution/ladder/loop-checks.ts';
import { openModels } from '../../../sidecar/execution/models/open-models.ts';
import { completeSettings } from '../../../sidecar/execution/opening/executor-settings.ts';
import { openAttempt } from '../../../sidecar/execution/opening/open-attempt.ts';
import type { TaskRun } from '../../../sidecar/execution/task/task-run.ts';
import type { ExecutionEvent } from '../../../sidecar/protocol/events.ts';
import type { TaskInput } from '../../../sidecar/protocol/task.ts';
import type { TaskResult } from '../../../sidecar/protocol/result.ts';
import type { ScenarioInput } from '../../../sidecar/scripted-model/scenario.ts';
import { DyingJournal, Killed, type Death } from '../../support/dying-journal.ts';
import { call, chatsOf, say, scenario, testModel, type ChatBody } from '../../support/scripted-model.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import { scaled } from '../../support/scale.ts';

const folder = tempFolders();
const before = 'def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return a * 2\n';
const check = { type: 'file_contains' as const, target: 'calc.py::a + b' };
const code = (sum: string) =>
  `The sign.\n\n\`\`\`python\n# calc.py\ndef add(a, b):\n    return ${sum}\n\`\`\`\n`;
const edit = (from: string, to: string) =>
  call('edit_file', { file_path: 'calc.py', old_string: from, new_string: to });

let dir: string;
const begin = async (): Promise<void> => {
  dir = folder();
  await writeFile(join(dir, 'calc.py'), before);
};
beforeEach(begin);

interface Story {
  turns: ScenarioInput['turns'];
  options?: (run: TaskRun) => AgentLoopOptions;
  task?: Partial<TaskInput>;
  journal?: DyingJournal;
  config?: ConfigInput;
  /** The model is asked the same several times: its answers go by the seed. */
  isAskedAgain?: boolean;
}

/** The checks as a prepared loop has them. */
const checksOf =
  (run: TaskRun, baseMs?: number): AgentLoopOptions['checks'] =>
  async () => {
    const base = await checkTree(run, 'check-base');
    if (!base) throw new Error('the task has no checks');
    const measured = baseMs === undefined ? base : { ...base, duration_ms: baseMs };
    return loopChecks(run, Promise.resolve(measured));
  };

async function live({ turns, options, task, journal, config, isAskedAgain = false }: Story): Promise<{
  result?: TaskResult;
  chats: ChatBody[];
  told: string[];
}> {
  const again = {
    name: 'again',
    when: { system: 'You change' },
    position: 'seed' as const,
    turns: turns ?? [],
  };
  const server = await testModel(isAskedAgain ? { ...scenario([]), scripts: [again] } : scenario(turns));
  const settings = completeSettings({
    config: { sandbox: { mode: 'off' }, ...config },
    ...(journal && { journal: () => journal }),
  });
  const opener = {
    open: (
      wanted: Parameters<typeof openAttempt>[1]['task'],
      config: object,
      emit: (event: ExecutionEvent) => void,
    ) =>
      openAttempt(settings, { task: wanted, config, emit, agentic: true }, async ({ run, close }) => {
        const opened = await openModels(run, { url: server.url });
        if (!opened.ok) return opened;
        const way = agentLoop(run, opened.models, options?.(run) ?? { checks: checksOf(run) });
        return { ok: true, attempt: { run, way, model: 'm', close } };
      }),
  };
  const input = {
    task_id: 't1',
    description: 'Fix add()',
    routing_decision: { selected_model: 'm' },
    verification_steps: [check],
    ...task,
  };
  let result: TaskResult | undefined;
  try {
    result = await executeTask(opener, settings, {
      task: input,
      config: { repo_dir: dir },
      onProgress: () => undefined,
    });
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
  const chats = chatsOf(server);
  return {
    chats,
    told: chats.map(({ messages }) => messages.at(-1)?.content ?? ''),
    ...(result && { result }),
  };
}

describe('checks that are quick', () => {
  test('run after a round with a change, and the newest result says what they found', async () => {
    const { told, result } = await live({
      turns: [
        call('read_file', { file_path: 'calc.py' }),
        edit('a - b', 'a * b'),
        edit('a * b', 'a / b'),
        edit('a / b', 'a + b'),
        say('Done.'),
      ],
    });
    expect(told[1]).not.toContain('Checks:');
    expect(told[2]).toMatch(
      /^Edited calc\.py\n[\s\S]*\n\nChecks: 0 of 1 pass\.\nFailing: file_contains calc\.py::a \+ b\n {4}\S/,
    );
    expect(told[3]).toMatch(/\n\nChecks: 0 of 1 pass, as before, and the same fails\.$/);
    expect(told[4]).toMatch(/\n\nChecks: 1 of 1 pass\. If the task is done, answer without a call\.$/);
    expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 5 });
  });

  test('are those that took under five seconds on the untouched tree', async () => {
    const { told } = await live({
      turns: [edit('a - b', 'a + b'), say('Done.')],
      options: (run) => ({ checks: checksOf(run, 5_000) }),
    });
    expect(told[1]).not.toContain('Checks:');
  });

  test('that are still running hold nothing up', async () => {
    const { told } = await live({
      turns: [edit('a - b', 'a + b'), say('Done.')],
      options: (run) => ({
        checks: () => Promise.resolve(loopChecks(run, new Promise(() => undefined))),
      }),
      task: { description: 'What is wrong with add()?' },
    });
    expect(told).toHaveLength(2);
  });

  test('end the task with code of an answer that passes them, and go on with what fails', async () => {
    const { told, result } = await live({ turns: [say(code('a * b')), say(code('a + b'))] });
    expect(told).toHaveLength(2);
    expect(told[1]).toMatch(
      /^The code of your answer was put into files: \+1 −1 in calc\.py\.\nChecks: 0 of 1 pass\.\nFailing: /,
    );
    expect(result).toMatchObject({ verification_status: 'verified', verification_attempts: 1 });
    expect(result?.changes.patch).toContain('+    return a + b');
  });

  test('keep the part of such code that passes more than all of it', async () => {
    const spoiled =
      '```python\n# calc.py\ndef add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return a * 3\n```';
    const { told, result } = await live({
      turns: [say(spoiled)],
      task: { verification_steps: [check, { type: 'file_contains', target: 'calc.py::a * 2' }] },
    });
    expect(told).toHaveLength(1);
    expect(result).toMatchObject({ verification_status: 'verified' });
    expect(result?.changes.patch).not.toContain('a * 3');
  });
});

describe('an answer without a call while a check fails and nothing has changed', () => {
  test('is no ending, twice at most, whatever it says', async () => {
    const { told, result } = await live({
      turns: [say('Done.'), say('Done.'), say('Done.')],
      task: { max_verification_retries: 0, file_hints: ['calc.py'] },
    });
    expect(told).toHaveLength(3);
    expect(told[1]).toContain('calc.py, whole (6 lines):\n```\ndef add(a, b):');
    expect(told[1]).toContain('A check still fails, so something has to change.');
    expect(told[2]).toMatch(/^No file has changed again, and a check still fails/);
    expect(result).toMatchObject({ termination_reason: 'final_answer', iterations_used: 3 });
  });

  test('is one where the checks passed at first', async () => {
    const { told } = await live({
      turns: [say('Nothing is wrong.')],
      task: { verification_steps: [{ type: 'file_exists', target: 'calc.py' }] },
    });
    expect(told).toHaveLength(1);
  });
});

describe('the first message', () => {
  const opening = (isWhole: boolean) => () => ({
    firstMessage: () => Promise.resolve({ text: 'Fix add()', shown: [{ path: 'calc.py', isWhole }] }),
  });
  const write = call('write_file', { file_path: 'calc.py', content: before.replace('a - b', 'a + b') });

  test('counts as read what it shows whole', async () => {
    const { told } = await live({ turns: [write, say('Done.')], options: opening(true) });
    expect(told[1]).toMatch(/^Wrote \d+ bytes to calc\.py \(overwritten\)/);
    await begin();
    const inPart = await live({ turns: [write, write, say('Done.')], options: opening(false) });
    expect(inPart.told[1]).toMatch(/^calc\.py exists and you have not read it/);
    expect(inPart.chats[2]?.messages.at(-2)?.content).toMatch(/^Wrote/);
  });

  test('names the file of code that names none', async () => {
    const unnamed = code('a + b').replace('# calc.py\n', '');
    const { result } = await live({ turns: [say(unnamed)], options: opening(false) });
    expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 1 });
  });
});

describe('a model with few tools', () => {
  const few = (run: TaskRun) => ({ tools: 'few' as const, checks: checksOf(run) });
  const offered = (chat: ChatBody | undefined) =>
    chat?.tools?.map((tool) => (tool as { function: { name: string } }).function.name);

  test('is offered none that change files, and asked for code in their place', async () => {
    const { chats, told, result } = await live({ turns: [say(code('a + b'))], options: few });
    expect(offered(chats[0])).toEqual(['read_file', 'shell']);
    expect(chats[0]?.messages[0]?.content).not.toMatch(/edit_file|write_file|grep|glob|apply_patch/);
    expect(told[0]).toMatch(/\n# Answer\nSay the cause .+ one code block/);
    expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 1 });
  });

  test('has code taken back with which no more passes, and is asked the same again', async () => {
    const { chats, result } = await live({
      turns: [say(code('a * b')), say(code('a - b')), say(code('a + b'))],
      isAskedAgain: true,
      options: few,
    });
    expect(chats[1]?.messages).toEqual(chats[0]?.messages);
    expect(chats[2]?.messages).toEqual(chats[0]?.messages);
    expect(chats.map(({ options }) => options?.temperature)).toEqual([0.2, 0.7, 0.7]);
    expect(chats[1]?.options).not.toEqual(chats[2]?.options);
    expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 3 });
    expect(result?.changes.patch).not.toContain('a * b');
  });

  test('is asked the same also by another life of the task', async () => {
    const story = { turns: [say(code('a * b')), say(code('a + b'))], isAskedAgain: true, options: few };
    const journal = new DyingJournal();
    const whole = await live({ ...story, journal });
    for (let append = 3; append <= journal.appends; append += scaled({ quick: 3, ci: 2, full: 1 })) {
      await begin();
      const first = new DyingJournal({ append, written: append % 2 === 0 });
      const died = await live({ ...story, journal: first });
      const second = await live({ ...story, journal: new DyingJournal(undefined, first) });
      // Killed while code was written: the model is told that, and the script cannot look.
      if (JSON.stringify(second.chats).includes('outcome unknown')) continue;
      for (const { messages } of [...died.chats, ...second.chats])
        expect([append, messages]).toEqual([append, whole.chats[0]?.messages]);
      expect([append, second.result?.verification_status]).toEqual([append, 'verified']);
    }
  });

  test('keeps code with which more passes, and goes on from there', async () => {
    const { told, result } = await live({
      turns: [say(code('a + b')), say('```python\n# calc.py\ndef twice(a):\n    return a + a\n```')],
      options: few,
      task: { verification_steps: [check, { type: 'file_contains', target: 'calc.py::a + a' }] },
    });
    expect(told[1]).toMatch(
      /^The code of your answer was put into files: \+1 −1 in calc\.py\.\nChecks: 1 of 2/,
    );
    expect(result).toMatchObject({ verification_status: 'verified' });
  });

  test('leaves its last code in the files where it may answer no more', async () => {
    const { result } = await live({
      turns: [say(code('a * b'))],
      options: few,
      task: { metadata: { max_iterations: 1 } },
    });
    expect(result?.changes.patch).toContain('+    return a * b');
  });

  test('may call them all the same', async () => {
    const { result } = await live({ turns: [edit('a - b', 'a + b'), say('Done.')], options: few });
    expect(result?.changes.patch).toContain('+    return a + b');
  });

  test('is stopped where it begins to say what its code does, and its block is closed', async () => {
    const cut = code('a + b').replace(/```\n$/u, '');
    const { chats, result } = await live({ turns: [say(cut)], options: few });
    expect(chats[0]?.options).toMatchObject({ stop: expect.arrayContaining(['```\n\nThis change']) });
    expect(result?.changes.patch).toContain('+    return a + b');
  });

  test.each([
    ['a question', { description: 'What does add() do?' }],
    ['a task that is to change nothing', { metadata: { read_only: true } }],
  ])('is not asked for code by %s', async (_what, task) => {
    const { told } = await live({ turns: [say('It subtracts.')], options: few, task });
    expect(told[0]).not.toContain('# Answer');
  });

  test('changes files by calls where each answer has to be a call', async () => {
    const { chats, result } = await live({
      turns: [edit('a - b', 'a + b'), say('Done.')],
      options: few,
      config: { model: { toolMode: 'structured' } },
    });
    expect(chats[0]?.messages[0]?.content).toContain('- edit_file(');
    expect(result?.changes.patch).toContain('+    return a + b');
  });
});

test('a task whose worker died at any append of its journal tells the model the same', async () => {
  const turns = [
    edit('made up text', 'x'),
    call('write_file', { file_path: 'calc.py', content: 'pass\n' }),
    say('Done.'),
    say(code('a * b')),
    edit('a * b', 'a + b'),
    say('Done.'),
  ];
  const lastOf = ({ chats }: { chats: ChatBody[] }) =>
    JSON.stringify(chats.at(-1)?.messages ?? []).replaceAll(/\d+ ms|\d+\.\d s/gu, 'N ms');
  const journal = new DyingJournal();
  const whole = await live({ turns, journal });
  expect(whole.result).toMatchObject({ verification_status: 'verified' });
  const step = scaled({ quick: 4, ci: 2, full: 1 });
  for (let append = 1; append <= journal.appends; append += step) {
    const death: Death = { append, written: append % 2 === 0 };
    await begin();
    const first = new DyingJournal(death);
    await live({ turns, journal: first });
    const second = await live({ turns, journal: new DyingJournal(undefined, first) });
    const said = lastOf(second);
    if (second.chats.length > 0) {
      const wanted = lastOf(whole);
      // A call whose outcome nobody knows is told as that; all before it is the same.
      const until = said.includes('outcome unknown') ? said.indexOf('outcome unknown') - 60 : said.length;
      expect([append, said.slice(0, until)]).toEqual([append, wanted.slice(0, until)]);
    }
    // The script cannot find out what became of a change that was interrupted; a model can.
    if (said.includes('outcome unknown')) continue;
    expect([append, second.result?.verification_status]).toEqual([append, 'verified']);
  }
});
