import { afterEach, describe, expect, test } from '@jest/globals';
import { TaskControl } from '../../../sidecar/solving/task/task-control.ts';
import type { TaskResult } from '../../../sidecar/base/protocol/result.ts';
import { deathsOf, DyingJournal } from '../../support/dying-journal.ts';
import { live } from '../../support/lives.ts';
import { call, chatsOf, say, scenario, testModel } from '../../support/scripted-model.ts';
import { execute } from '../../support/scripted-run.ts';
import { cleanUp, temporaryFolder } from '../../workspace/repositories.ts';

afterEach(cleanUp);

describe('what people say to a task', () => {
  /** A life of a task: its texts, and the record that its questions are in. */
  const lifeOf = (store: DyingJournal) => {
    const { journal, steering } = new TaskControl(store);
    return { steering, journal, take: (round: number) => steering.take('run', round) };
  };

  test('is in the journal before it is taken, and taken by one question in all lives', () => {
    const store = new DyingJournal();
    const first = lifeOf(store);
    first.steering.add('one');
    first.steering.add('two');
    const second = lifeOf(store);
    expect(second.take(1)).toEqual(['one', 'two']);
    second.journal.recordSoon({ kind: 'answer', stage: 'run', round: 1, body: {} });
    second.steering.add('three');
    const third = lifeOf(store);
    expect(third.steering.hasTextFor('run', 2)).toBe(false);
    expect(third.take(1)).toEqual(['one', 'two']);
    third.journal.recall({ kind: 'answer', stage: 'run', round: 1 });
    expect(third.steering.hasTextFor('run', 2)).toBe(true);
    expect(third.take(2)).toEqual(['three']);
  });

  test('is refused where a hundred texts wait', () => {
    const journal = new DyingJournal();
    const { steering } = new TaskControl(journal);
    for (let number = 1; number <= 100; number += 1) expect(steering.add(`${number}`)).toBe(true);
    expect(steering.add('one too many')).toBe(false);
    expect(journal.appends).toBe(100);
  });
});

const turns = [call('glob', { pattern: 'a' }), call('glob', { pattern: 'b' }), say('Done.')];
const TEXTS = ['Use tabs.', 'And hurry.'];

/** A life; during its first call a person says two things, if `speaks`. */
async function liveOnce(
  journal: DyingJournal,
  speaks: boolean,
): Promise<{ result?: TaskResult; heard: string[] }> {
  const control = new TaskControl(journal);
  const { result, chats } = await live(scenario(turns), journal, {
    dir: temporaryFolder(),
    execute: { control },
    onProgress: ({ phase, iteration }) => {
      if (speaks && phase === 'started' && iteration === 1) for (const text of TEXTS) control.steer(text);
    },
  });
  const heard = (chats.at(-1)?.messages ?? [])
    .filter(({ content }) => content.startsWith('Message from the operator:'))
    .map(({ content }) => content.split('\n')[1] ?? '');
  return { result, heard };
}

test('a task that was killed at any append hears once what had reached its journal', async () => {
  const whole = new DyingJournal();
  expect((await liveOnce(whole, true)).heard).toEqual(TEXTS);
  for (const death of deathsOf(whole)) {
    const first = new DyingJournal(death);
    const before = await liveOnce(first, true);
    const kept = first.entries
      .filter(({ stage, kind }) => stage === 'steering' && kind === 'input')
      .map(({ body }) => body);
    const second = await liveOnce(new DyingJournal(undefined, first), false);
    expect(second.result).toMatchObject({ termination_reason: 'final_answer' });
    // A life that has nothing left to ask has said all of it before.
    const heard = second.heard.length > 0 ? second.heard : before.heard;
    expect([death, heard]).toEqual([death, kept]);
  }
});

describe('what a person says while the model writes its final answer', () => {
  const twice = [say('Done.'), say('Done, with tabs.')];

  async function answered(maxIterations: number) {
    const control = new TaskControl();
    const turns = twice.map((turn) => ({ ...turn, faults: [{ kind: 'hold' as const }] }));
    const server = await testModel(scenario(turns));
    const asked = server.waitForRequest(({ body }) => JSON.stringify(body ?? '').includes('# Task'));
    const running = execute({
      server,
      dir: temporaryFolder(),
      task: { metadata: { max_iterations: maxIterations } },
      execute: { control },
    });
    await asked;
    control.steer('Use tabs.');
    server.release();
    const { result } = await running;
    return { result, chats: chatsOf(server) };
  }

  test('is put to it before the task ends', async () => {
    const { result, chats } = await answered(5);
    expect(result).toMatchObject({ termination_reason: 'final_answer', output: 'Done, with tabs.' });
    expect(
      chats
        .at(-1)
        ?.messages.slice(-2)
        .map(({ content }) => content),
    ).toEqual(['Done.', 'Message from the operator:\nUse tabs.']);
  });

  test('does not make a forced stop of an answer that was the last turn', async () => {
    const { result } = await answered(1);
    expect(result).toMatchObject({ termination_reason: 'final_answer', output: 'Done.' });
  });
});
