/** A loop whose model answers in code: what is put in, what is taken back, and when one answer is not enough. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ShownFile } from '../../../sidecar/execution/agent-loop/first-message.ts';
import type { TaskRun } from '../../../sidecar/execution/task/task-run.ts';
import type { TaskInput } from '../../../sidecar/protocol/task.ts';
import { DyingJournal } from '../../support/dying-journal.ts';
import { call, say, type ChatBody } from '../../support/scripted-model.ts';
import { scaled } from '../../support/scale.ts';
import { begin, check, checksOf, code, dir, edit, live, type Story } from './prepared.ts';

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

  test('is offered none at all where it is shown what may change, and what it cannot call is not spoken of', async () => {
    const shown = (isWhole: boolean) => (run: TaskRun) => ({
      ...few(run),
      firstMessage: async (needsTools: (files: readonly ShownFile[]) => boolean) => {
        const files = [{ path: 'calc.py', isWhole }];
        return { text: needsTools(files) ? 'Look' : 'Fix add()', shown: files };
      },
    });
    const { chats, told, result } = await live({
      turns: [say(code('a * b')), say(code('a + b'))],
      isAskedAgain: true,
      options: shown(true),
    });
    expect(chats.map(offered)).toEqual([undefined, undefined]);
    expect(chats[0]?.messages[0]?.content).not.toMatch(/tool|read_file/);
    expect(chats[0]?.options).toMatchObject({ temperature: 0.2, num_predict: expect.any(Number) });
    expect(told[0]).toMatch(/^Fix add\(\)\n\n# Answer\nSay the cause/);
    expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 2 });
    await begin();
    const inPart = await live({ turns: [say(code('a + b'))], options: shown(false) });
    expect(offered(inPart.chats[0])).toEqual(['read_file', 'shell']);
    expect(inPart.told[0]).toMatch(/^Look\n/);
  });

  test('that is asked once more is drawn otherwise for the first answer alone', async () => {
    const look = call('read_file', { file_path: 'calc.py' });
    const { chats, result } = await live({
      turns: [look, call('read_file', { file_path: 'calc.py', offset: 2 }), say(code('a + b'))],
      options: (run) => ({ ...few(run), isAgain: true }),
    });
    expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 3 });
    expect(chats.map(({ options }) => options?.temperature)).toEqual([0.6, 0.2, 0.2]);
    expect(chats.map(({ options }) => 'seed' in options)).toEqual([true, false, false]);
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

  describe('where no check fails before the work', () => {
    const passing = { type: 'file_contains' as const, target: 'calc.py::a * 2' };
    const asked = async (sums: string[], checks: NonNullable<TaskInput['verification_steps']>) =>
      live({
        turns: sums.map((sum) => say(code(sum))),
        isAskedAgain: true,
        options: checks.length > 0 ? few : () => ({ tools: 'few' }),
        task: { verification_steps: checks },
      });

    test.each([
      ['none is there', [], 'unverified'],
      ['all pass', [passing], 'verified'],
    ])('is done when two answers make the same change: %s', async (_what, checks, verification) => {
      const { chats, result } = await asked(['a + b', 'a + b  # the sum', 'a + b'], checks);
      expect(chats).toHaveLength(3);
      expect(chats[2]?.messages).toEqual(chats[0]?.messages);
      expect(chats[1]?.options?.temperature).toBe(0.7);
      expect(result).toMatchObject({ status: 'success', verification_status: verification });
      expect(result?.changes.patch).toContain('+    return a + b\n');
    });

    test.each([
      ['none is there', [], 'unverified'],
      ['all pass', [passing], 'partial_pass'],
    ])(
      'hands back the first of three that make others, and says so: %s',
      async (_what, checks, verification) => {
        const { chats, result } = await asked(['a + b', 'a * b', 'b - a'], checks);
        expect(chats).toHaveLength(3);
        expect(result).toMatchObject({ status: 'partial', verification_status: verification });
        expect(result?.changes.patch).toContain('+    return a + b\n');
        expect(result?.output).toContain('return a + b');
        expect(result?.verification_notes?.join()).toMatch(
          /none can tell whether it is right; 2 more answers/,
        );
      },
    );

    test('takes a copy of what stands in the files for no agreement', async () => {
      const copy = say('```python\n# calc.py\ndef twice(a):\n    return a * 2\n```');
      const { chats, result } = await live({
        turns: [say(code('a + b')), copy, say(code('a * b'))],
        isAskedAgain: true,
        options: few,
        task: { verification_steps: [passing] },
      });
      expect(chats).toHaveLength(3);
      expect(result).toMatchObject({ status: 'partial', verification_status: 'partial_pass' });
    });

    test('has code taken back that breaks one', async () => {
      const broken = say('```python\n# calc.py\ndef twice(a):\n    return a + a\n```');
      const { result } = await live({
        turns: [broken, say(code('a + b')), say(code('a + b'))],
        isAskedAgain: true,
        options: few,
        task: { verification_steps: [passing] },
      });
      expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
      expect(result?.changes.patch).not.toContain('a + a');
    });

    test('ends the same in another life of the task', async () => {
      const story: Story = {
        turns: ['a + b', 'a * b', 'b - a'].map((sum) => say(code(sum))),
        isAskedAgain: true,
        options: () => ({ tools: 'few' }),
        task: { verification_steps: [] },
      };
      const journal = new DyingJournal();
      const whole = await live({ ...story, journal });
      for (let append = 3; append <= journal.appends; append += scaled({ quick: 3, ci: 2, full: 1 })) {
        await begin();
        const first = new DyingJournal({ append, written: append % 2 === 0 });
        await live({ ...story, journal: first });
        const { result, chats } = await live({ ...story, journal: new DyingJournal(undefined, first) });
        if (JSON.stringify(chats).includes('outcome unknown')) continue;
        expect([append, result?.output]).toEqual([append, whole.result?.output]);
        expect(await readFile(join(dir, 'calc.py'), 'utf8')).toContain('    return a + b\n');
      }
    });

    test('puts in what a person wants in between, and asks once more about that', async () => {
      const { told, result } = await live({
        turns: ['a + b', 'b + a', 'b + a'].map((sum) => say(code(sum))),
        isAskedAgain: true,
        options: () => ({ tools: 'few' }),
        task: { verification_steps: [] },
        wish: 'The other way round.',
      });
      expect(told[1]).toContain('The other way round.');
      expect(told).toHaveLength(3);
      expect(result).toMatchObject({ status: 'success' });
      expect(result?.changes.patch).toContain('+    return b + a');
    });
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
