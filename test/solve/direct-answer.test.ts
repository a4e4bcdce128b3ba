/** A question about a repository is put without tools first; what the brief does not say is looked for in the loop. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import { TaskControl } from '../../sidecar/task/task-control.ts';
import { DyingJournal } from '../support/dying-journal.ts';
import { call, chatsOf, say, testModel, verbatim } from '../support/scripted-model.ts';
import { execute, type RunOptions } from '../support/scripted-run.ts';
import { tempFolders } from '../support/temp-folder.ts';

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
      expect(said).toContain('What is shown does not answer it; looking with tools');
    },
  );

  test.each([
    ['only the loop is wanted', { solving: { strategy: 'loop' } }],
    ['the task changes files', { task: { metadata: { read_only: false } }, solving: { drafts: 0 } }],
  ])('has tools at once where %s', async (_why, options) => {
    const { chats } = await run([[verbatim('No.')], [{ ...say('30 seconds.'), repeat: 'always' }]], options);
    expect(chats[0]).toHaveProperty('tools');
  });

  test('of a worker that died is not put again', async () => {
    const journal = new DyingJournal();
    const deps = { journal: () => journal };
    const first = await run([[verbatim('30 seconds.')]], { deps });
    const again = await run([[verbatim('60 seconds.')]], { deps });
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
    const { result, chats } = await run([[verbatim('30.')], [say('30 seconds.')]], { execute: { control } });
    expect(result.output).toBe('30 seconds.');
    expect(JSON.stringify(chats[1]?.messages)).toContain('And which unit is that?');
  });
});
