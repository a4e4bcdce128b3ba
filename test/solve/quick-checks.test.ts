/** Checks between the rounds of a loop, in a copy of the tree. */
import { expect, test } from '@jest/globals';
import { call, say } from '../support/scripted-model.ts';
import { clockWithHaste } from '../support/hasty-clock.ts';
import { draftRuns, nothing, RUNNING_CHECK, task } from '../drafts/draft-runs.ts';

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
