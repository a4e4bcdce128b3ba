import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ExecutionEvent } from '../../../sidecar/base/protocol/events.ts';
import { Journal, type Fact } from '../../../sidecar/solving/task/journal.ts';
import { TaskControl } from '../../../sidecar/solving/task/task-control.ts';
import { deathsOf, DyingJournal } from '../../support/dying-journal.ts';
import { liveIn, newPlace, type Place, type ScenarioWithLog } from '../../support/lives.ts';
import { call, calls, say, scenario } from '../../support/scripted-model.ts';
import { cleanUp, git } from '../../workspace/repositories.ts';

afterEach(cleanUp);

const answer = (round: number) => ({ kind: 'answer' as const, stage: 'run', round });

describe('the record of a task', () => {
  test('gives facts of earlier lives back, with the time that was used by then, and is live after the last answer', () => {
    const store = new DyingJournal();
    const entry = { stage: 'run', body: 'first' };
    void store.append([
      { ...entry, kind: 'answer', round: 1, usedMs: 4_000 },
      { ...entry, kind: 'answer', round: 2, usedMs: 9_000 },
      { ...entry, kind: 'result', round: 1, usedMs: 9_500 },
    ]);
    const control = new TaskControl();
    const journal = new Journal(control, store);
    expect([journal.has(answer(1)), journal.has(answer(3)), journal.isReplaying]).toEqual([
      true,
      false,
      true,
    ]);
    expect(journal.recall(answer(1))).toBe('first');
    expect([control.usedMs, journal.isReplaying]).toEqual([4_000, true]);
    journal.recall(answer(2));
    expect([control.usedMs, journal.isReplaying]).toEqual([9_000, false]);
    expect(journal.recall(answer(3))).toBeUndefined();
  });

  test('is live after a question that an earlier life did not ask, though later answers are recorded', () => {
    const store = new DyingJournal();
    void store.append([answer(1), answer(3)].map((fact) => ({ ...fact, body: 'past' })));
    const journal = new Journal(new TaskControl(), store);
    journal.recall(answer(1));
    expect(journal.isReplaying).toBe(true);
    journal.recall(answer(2));
    expect(journal.isReplaying).toBe(false);
    expect(journal.recall(answer(3))).toBe('past');
  });

  test('gives what models and users said in a recorded session, and nothing of its calls and checks', () => {
    const entry = { round: 1, body: 'past', usedMs: 9_000 };
    const person = { kind: 'result' as const, stage: 'person question abc', round: 1 };
    const store = new DyingJournal();
    void store.append([
      { ...entry, kind: 'answer' as const, stage: 'run' },
      { ...entry, ...person },
      { ...entry, kind: 'result' as const, stage: 'start' },
      { ...entry, kind: 'intent' as const, stage: 'call' },
    ]);
    const recorded = new TaskControl(store).journal
      .listReplayInput()
      .map(({ usedMs: _usedMs, ...one }) => one);
    const { journal } = new TaskControl(Object.assign(new DyingJournal(), { recordedEntries: recorded }));
    expect([journal.recall(answer(1)), journal.recall(person)]).toEqual(['past', 'past']);
    expect(journal.has({ kind: 'result', stage: 'start', round: 1 })).toBe(false);
    expect(journal.has({ kind: 'intent', stage: 'call', round: 1 })).toBe(false);
    expect(journal.isReplaying).toBe(false);
  });

  test('tells facts apart that are asked for by their content alone', () => {
    const journal = new Journal(new TaskControl());
    const [one, two] = [1, 2].map(() => journal.createNextFact('result', 'call ', 'same')) as [Fact, Fact];
    journal.recordSoon({ ...one, body: 1 });
    expect([journal.recall(one), journal.recall(two)]).toEqual([1, undefined]);
  });
});

/** Runs a task to each of its deaths, each followed by a second life in the same place. */
async function everyDeath(
  scenarioOf: ScenarioWithLog,
  options: Parameters<typeof liveIn>[3],
  look: (second: Awaited<ReturnType<typeof liveIn>>, place: Place, where: string) => void | Promise<void>,
): Promise<void> {
  const whole = new DyingJournal();
  await liveIn(newPlace(), scenarioOf, whole, options);
  for (const death of deathsOf(whole)) {
    const place = newPlace();
    const first = new DyingJournal(death);
    const died = await liveIn(place, scenarioOf, first, options);
    const second = new DyingJournal(undefined, first);
    const life = await liveIn(place, scenarioOf, second, options);
    const answers = second.entries.filter(({ kind }) => kind === 'answer').length;
    // An answer that reached the journal is not asked for again; the result of a call gets there beside the next question.
    const kinds = whole.kinds[death.append - 1] ?? '';
    const where = `${JSON.stringify(death)} ${kinds}`;
    const isLost = kinds === 'result call ' || (kinds.startsWith('answer') && !death.written);
    expect([where, died.chats.length + life.chats.length]).toEqual([where, answers + Number(isLost)]);
    await look(life, place, where);
  }
}

const fileOf = ({ repo }: Place, branch: string | null | undefined, path: string): string =>
  git(repo, 'show', `${branch}:${path}`);

describe('a task that was killed at any write of its journal', () => {
  test('has the files that it would have had, made by tools that run again', async () => {
    const turns = [
      calls(['write_file', { file_path: 'b.txt', content: 'one\n' }]),
      calls(['edit_file', { file_path: 'b.txt', old_string: 'one', new_string: 'two' }]),
      say('Done.'),
      calls(['edit_file', { file_path: 'b.txt', old_string: 'two', new_string: 'three' }]),
      say('Now.'),
    ];
    const check = { type: 'file_contains' as const, target: 'b.txt', contains: 'three' };
    await everyDeath(
      () => scenario(turns),
      { task: { verification_steps: [check] } },
      ({ result }, place, where) => {
        expect([where, result]).toMatchObject([
          where,
          { verification_status: 'verified', iterations_used: 5 },
        ]);
        expect(fileOf(place, result?.changes?.branch, 'b.txt')).toBe('three');
      },
    );
  }, 120_000);

  test('makes a call that reaches out once, and has what that changed in its files', async () => {
    const own = {
      name: 'publish',
      description: 'Publishes',
      parameters: {},
      command: ['sh', '-c', 'echo out >> "$PWD/../effects.txt"; echo published >> b.txt'],
    };
    const turns = [
      call('publish', {}),
      call('write_file', { file_path: 'c.txt', content: 'c\n' }),
      say('Done.'),
    ];
    await everyDeath(
      () => scenario(turns),
      { config: { tools: { own: [own] } } },
      async ({ result, chats }, place, where) => {
        const log = await readFile(join(place.root, 'worktrees', 'effects.txt'), 'utf8').catch(() => '');
        const told = JSON.stringify(chats.at(-1)?.messages ?? []).includes('outcome unknown');
        expect([where, log.split('\n').length - 1]).toEqual([where, told && log === '' ? 0 : 1]);
        expect(fileOf(place, result?.changes?.branch, 'c.txt')).toBe('c');
        if (!told) expect(fileOf(place, result?.changes?.branch, 'b.txt')).toBe('published');
      },
    );
  }, 120_000);
});

test('work of a killed task is handed back where its model is gone', async () => {
  const place = newPlace();
  const turns = [call('write_file', { file_path: 'b.txt', content: 'half\n' }), say('Done.')];
  const task = { verification_steps: [{ type: 'file_exists' as const, target: 'c.txt' }] };
  // At the second answer, wherever the report of the checks stands among the appends.
  const death = {
    get append(): number {
      const answers = first.kinds.filter((kind) => kind === 'answer run').length;
      return answers < 2 ? Infinity : first.appends;
    },
    written: false,
  };
  const first: DyingJournal = new DyingJournal(death);
  await liveIn(place, () => scenario(turns), first, { task });
  const second = new DyingJournal(undefined, first);
  const { result } = await liveIn(place, () => ({ models: [{ name: 'other' }], turns: [] }), second, {
    task,
  });
  expect(result).toMatchObject({
    termination_reason: 'model_error',
    changes: { files: [{ path: 'b.txt' }] },
  });
});

test('a task that is resumed shows once what it did', async () => {
  const place = newPlace();
  const edits = ['b', 'c', 'd'].map((name) =>
    call('write_file', { file_path: `${name}.txt`, content: name }),
  );
  const turns = [...edits, say('Done.')];
  const first = new DyingJournal();
  await liveIn(newPlace(), () => scenario(turns), first);
  const dying = new DyingJournal({ append: first.kinds.lastIndexOf('answer run') + 1, written: false });
  const shown: string[] = [];
  const onProgress = ({ event_type: type, phase, text }: ExecutionEvent): void => {
    if (type === 'tool_call' && phase === 'started') shown.push(text);
  };
  await liveIn(place, () => scenario(turns), dying, { onProgress });
  expect(shown).toHaveLength(3);
  await liveIn(place, () => scenario(turns), new DyingJournal(undefined, dying), { onProgress });
  // The call after the last known answer may not have been shown before.
  expect(shown).toHaveLength(4);
});

test('checks see the same files once in a task', async () => {
  const edit = (from: string, to: string) =>
    call('edit_file', { file_path: 'a.txt', old_string: from, new_string: to });
  const place = newPlace();
  const log = join(place.root, 'checks.log');
  const turns = [
    edit('one', 'two'),
    say('Done.'),
    edit('two', 'three'),
    say('So.'),
    edit('three', 'two'),
    say('Or so.'),
  ];
  const target = `tee -a ${log} < a.txt; grep -q four a.txt`;
  const life = await liveIn(place, () => scenario(turns), new DyingJournal(), {
    task: { verification_steps: [{ type: 'command_succeeds', target }] },
  });
  expect(life.result).toMatchObject({ verification_status: 'failed', verification_attempts: 3 });
  expect(await readFile(log, 'utf8')).toBe('two\nthree\n');
});
