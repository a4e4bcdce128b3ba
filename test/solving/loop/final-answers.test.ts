import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AskUser } from '../../../sidecar/base/ports.ts';
import type { TaskInput } from '../../../sidecar/base/protocol/task.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import { DyingJournal } from '../../support/dying-journal.ts';
import { live } from '../../support/lives.ts';
import { call, chatsOf, json, say, scenario, testModel, verbatim } from '../../support/scripted-model.ts';
import { execute } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';

describe('final answers', () => {
  const folder = tempFolders();
  const claim = 'I have fixed the add function.';
  const edit = call('edit_file', { file_path: 'calc.py', old_string: 'a - b', new_string: 'a + b' });
  let dir: string;
  beforeEach(async () => {
    dir = folder();
    await writeFile(join(dir, 'calc.py'), 'def add(a, b):\n    return a - b\n');
  });

  async function run(turns: ScenarioInput['turns'], task: Partial<TaskInput> = {}) {
    const server = await testModel(scenario(turns));
    const { result } = await execute({ server, dir, task: { description: 'Fix add()', ...task } });
    const chats = chatsOf(server);
    return {
      result,
      told: chats.map(({ messages }) => messages.at(-1)?.content ?? ''),
      temperatures: chats.map(({ options }) => options?.temperature),
    };
  }

  describe('an answer without a call where no file has changed', () => {
    test.each<[string, ScenarioInput['turns'], Partial<TaskInput>]>([
      ['where nothing is checked', [say(claim)], {}],
      ['after a change', [edit, say(claim)], {}],
      ['for a question', [say(claim)], { description: 'What does add() do?' }],
      ['for a task that is to change nothing', [say(claim)], { metadata: { read_only: true } }],
      ['with the last answer that is allowed', [say(claim)], { metadata: { max_iterations: 1 } }],
    ])('ends the task %s', async (_when, turns, task) => {
      const { result } = await run(turns, task);
      expect(result).toMatchObject({
        termination_reason: 'final_answer',
        iterations_used: turns?.length,
        output: claim,
      });
    });

    test('is told so with the checks that failed, and no longer after a change', async () => {
      const wrong = { type: 'file_contains' as const, target: 'calc.py::a * b' };
      const { told } = await run([say('Done.'), edit, say('Done.'), say('Done.')], {
        verification_steps: [wrong],
      });
      expect(told[1]).toContain('No file was changed for your last answer');
      expect(told[3]).toContain('The work was checked: 0 of 1 checks pass.');
      expect(told[3]).not.toContain('No file was changed');
    });
  });

  describe('code in an answer that called no tool', () => {
    const code = 'The sign is wrong.\n\n```python\n# calc.py\ndef add(a, b):\n    return a + b\n```\n';

    test('is put into its file, and the task ends with it', async () => {
      const { result } = await run([say(code)]);
      expect(result).toMatchObject({ status: 'success', iterations_used: 1 });
      expect(result.changes.patch).toContain('+    return a + b');
      expect(result.output).toBe(
        `${code.trim()}\n\n(The code of this answer was written to files: +1 −1 in calc.py.)`,
      );
    });

    test('is decided on by the checks', async () => {
      const wrong = code.replace('a + b', 'a * b');
      const check = { type: 'file_contains' as const, target: 'calc.py::a + b' };
      const { result, told } = await run([say(wrong), say(code)], { verification_steps: [check] });
      expect(told[1]).toContain('The work was checked: 0 of 1 checks pass.');
      expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 2 });
    });

    test('that does not parse is sent back with the place and the file', async () => {
      const { told, result } = await run([say(code.replace('a + b', '(a +')), say(code)]);
      expect(told[1]).toContain(
        'The code in it was not put into a file: calc.py would not parse, line 2: return (a +.',
      );
      expect(told[1]).toContain('calc.py, whole (2 lines):\n```\ndef add(a, b):');
      expect(result.changes.patch).toContain('+    return a + b');
    });

    test('that the file holds already is said to change nothing, and the file is not shown again', async () => {
      const { told, result } = await run([say(code.replace('a + b', 'a - b')), say(code)]);
      expect(told[1]).toContain(
        'The code in it was not put into a file: the file already contains this text.',
      );
      expect(told[1]).not.toContain('whole (2 lines)');
      expect(result.changes.patch).toContain('+    return a + b');
    });

    test('that is for no file is said to be in none', async () => {
      const lost = 'Use this:\n```python\ndef other(x):\n    return x\n```';
      const { result } = await run([say(lost), say(lost)], { metadata: { max_iterations: 2 } });
      expect(result.output).toBe(`${lost}\n\n(The code in this answer was not written to a file.)`);
    });

    test('after a change of its own is named where no file has it', async () => {
      const other = code.replace('a + b', 'b + a');
      const { result } = await run([edit, say(other)]);
      expect(result.output).toBe(`${other.trim()}\n\n(The code in this answer was not written to calc.py.)`);
      expect(result.changes.patch).toContain('+    return a + b');
    });

    test('leaves tests alone, unless the task may change them', async () => {
      await writeFile(join(dir, 'test_calc.py'), 'def test_add():\n    assert False\n');
      const test = '```python\n# test_calc.py\ndef test_add():\n    assert True\n```';
      const kept = await run([say(test), say(test)]);
      expect(kept.told[1]).toContain('test_calc.py: the file must not be changed');
      expect(kept.result.changes.files).toEqual([]);
      const wanted = await run([say(test)], { may_change_checks: true });
      expect(wanted.result.changes.patch).toContain('+    assert True');
    });
  });

  describe('a corrective round', () => {
    const check = { type: 'file_contains' as const, target: 'calc.py::a * b' };

    test('that changes nothing is answered without running the checks again, and with other words', async () => {
      const { result, told } = await run(
        [say('Done.'), say('Done.'), say('Done.'), say('Done.'), say('Done.')],
        {
          verification_steps: [check],
        },
      );
      expect(new Set(told).size).toBe(told.length);
      expect(told.filter((text) => text.startsWith('The work was checked:'))).toEqual([
        expect.stringContaining('0 of 1 checks pass'),
        expect.stringContaining(
          'nothing has changed since, so the same checks still fail: file_contains calc.py::a * b.',
        ),
      ]);
      expect(result).toMatchObject({ verification_attempts: 1, verification_status: 'failed' });
    });

    test('after a change runs them', async () => {
      const fix = call('edit_file', { file_path: 'calc.py', old_string: 'a - b', new_string: 'a * b' });
      const { result } = await run(
        [say('Done.'), say('Done.'), say('Done.'), say('Done.'), fix, say('Done.')],
        {
          verification_steps: [check],
        },
      );
      expect(result).toMatchObject({ verification_attempts: 2, verification_status: 'verified' });
    });
  });

  const cutOffCall = '<tool_call>';

  test('what follows an answer that led nowhere is drawn otherwise, and only that', async () => {
    const again = call('read_file', { file_path: 'calc.py' });
    const { temperatures } = await run([verbatim(cutOffCall), again, again, edit, say(claim)]);
    const [usual] = temperatures;
    expect(usual).toBeLessThan(0.7);
    expect(temperatures).toEqual([usual, 0.7, usual, 0.7, usual]);
  });

  test('an answer that was cut off while thinking is answered with that', async () => {
    const turn = { reply: { content: '', thinking: 'Hmm. '.repeat(20) }, doneReason: 'length' as const };
    const { told } = await run([turn, edit, say('Done.')]);
    expect(told[1]).toMatch(
      /\nYour last answer reached the length limit before it said anything: think briefly/,
    );
  });

  test.each([
    ['final_answer', { answer: 'It adds now.' }],
    ['attempt_completion', { result: 'It adds now.', command: 'cat calc.py' }],
    ['Finish', { note: 'It adds now.' }],
  ])('a call of %s is the final answer', async (name, args) => {
    const { result } = await run([edit, call(name, args)]);
    expect(result).toMatchObject({
      termination_reason: 'final_answer',
      output: 'It adds now.',
      iterations_used: 2,
    });
  });
});

test('what a person answered is in the journal: a task that goes on is told the same and does not ask again', async () => {
  const asked: string[] = [];
  const lifeWith = (answer: string, journal: DyingJournal) => {
    const askUser: AskUser = ({ summary }) => {
      asked.push(summary);
      return Promise.resolve({ ok: true, decision: 'corrected', text: answer });
    };
    const turns = [
      json({ request_approval: 'Tabs or spaces?' }),
      json({ request_approval: 'How many?' }),
      say('Told: {{lastMessage}}'),
    ];
    const config = { model: { toolMode: 'structured' as const }, approval: { question: 'hub' as const } };
    return live(scenario(turns), journal, { config, deps: { askUser } });
  };
  const whole = new DyingJournal();
  await lifeWith('two', whole);
  expect(asked.splice(0)).toEqual(['Tabs or spaces?', 'How many?']);
  // The last answer of the model is lost.
  const journal = new DyingJournal({ append: whole.appends, written: false });
  expect((await lifeWith('two', journal)).result).toBeUndefined();
  expect(asked.splice(0)).toEqual(['Tabs or spaces?', 'How many?']);
  const { result } = await lifeWith('four', new DyingJournal(undefined, journal));
  expect(result?.output).toContain('two');
  expect(asked).toEqual([]);
});
