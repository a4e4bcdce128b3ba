import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { TaskInput } from '../../../sidecar/protocol/task.ts';
import type { ScenarioInput } from '../../../sidecar/scripted-model/scenario.ts';
import { call, chatsOf, say, scenario, testModel } from '../../support/scripted-model.ts';
import { execute } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';

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
  return { result, told: chatsOf(server).map(({ messages }) => messages.at(-1)?.content ?? '') };
}

describe('an answer that claims a change where no file has changed', () => {
  test('is answered with that, once', async () => {
    const { result, told } = await run([say(claim), edit, say(claim)]);
    expect(told[1]).toMatch(
      /^No file has changed yet, and your answer called no tool: code and claims in an answer change nothing/,
    );
    expect(result).toMatchObject({ status: 'success', output: claim, iterations_used: 3 });
    expect(result.changes.files).toHaveLength(1);
    const stubborn = await run([say(claim), say(claim)]);
    expect(stubborn.result).toMatchObject({
      termination_reason: 'final_answer',
      iterations_used: 2,
      output: claim,
    });
  });

  test.each<[string, ScenarioInput['turns'], Partial<TaskInput>]>([
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
    const check = { type: 'file_contains' as const, target: 'calc.py::a * b' };
    const { told } = await run([say('Done.'), edit, say('Done.'), say('Done.')], {
      verification_steps: [check],
    });
    expect(told[1]).toContain('No file was changed for your last answer');
    expect(told[3]).toContain('The work was checked: 0 of 1 checks pass.');
    expect(told[3]).not.toContain('No file was changed');
  });
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
