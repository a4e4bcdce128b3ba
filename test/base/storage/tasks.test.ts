import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { JournalEntry } from '../../../sidecar/solving/task/journal.ts';
import type { TaskResult } from '../../../sidecar/base/protocol/result.ts';
import { taskSchema, type TaskInput } from '../../../sidecar/base/protocol/task.ts';
import { readHistory } from '../../../sidecar/base/storage/history.ts';
import { createOutbox, type Outbox } from '../../../sidecar/base/storage/outbox.ts';
import { openStateDatabase, type StateDatabase } from '../../../sidecar/base/storage/state-database.ts';
import { createTaskJournal } from '../../../sidecar/base/storage/task-journal.ts';
import { createTaskRecords, type TaskRecords } from '../../../sidecar/base/storage/task-records.ts';
import { acceptedJournal } from '../../support/accepted-journal.ts';
import { exitOf, outputOf, startProgram } from '../../support/child-program.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import * as fc from '../../support/properties.ts';
import { scaled } from '../../support/scale.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const entry = fc.record<JournalEntry>({
  kind: fc.constantFrom('answer', 'intent', 'result', 'input'),
  stage: fc.constantFrom('run', 'correct-1', 'plan'),
  round: fc.nat(50),
  body: fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' })),
});

describe('the journal', () => {
  const tempFolder = tempFolders();
  let db: StateDatabase;
  beforeEach(async () => void (db = await openStateDatabase(tempFolder())));
  afterEach(() => db.close());
  const one: JournalEntry = { kind: 'answer', stage: 'run', round: 1, body: 'first' };

  test('gives back every entry as it was written, in order', async () => {
    let task = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(entry, { maxLength: 4 }), { maxLength: 6 }), async (appends) => {
        task += 1;
        const journal = acceptedJournal(db, `t${task}`);
        await Promise.all(appends.map((entries) => journal.append(entries)));
        // Compared as JSON, which has one zero where JavaScript has two.
        expect(journal.read()).toEqual(JSON.parse(JSON.stringify(appends.flat())));
      }),
      { numRuns: scaled({ quick: 30, full: 200 }) },
    );
  });

  test('keeps tasks apart and reads what was written before', async () => {
    await acceptedJournal(db, 'a').append([one]);
    await acceptedJournal(db, 'b').append([{ ...one, body: 'other' }]);
    const later = acceptedJournal(db, 'a');
    await later.append([
      { ...one, round: 2, body: undefined },
      { ...one, stage: 'plan', usedMs: 5 },
    ]);
    const both = [one, { ...one, round: 2, body: null }];
    expect(later.read()).toEqual([...both, { ...one, stage: 'plan', usedMs: 5 }]);
  });

  test('an append is there whole or not at all', () => {
    const journal = acceptedJournal(db, 'a');
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(() => journal.append([one, { ...one, body: circular }])).toThrow('circular');
    expect(journal.read()).toEqual([]);
  });

  test('waits for the disk again after an append that did not', async () => {
    const journal = acceptedJournal(db, 'a');
    const level = () => db.state.sql.pragma('synchronous', { simple: true });
    const waits = [1, 2, 3].map(async (round) => journal.append([{ ...one, round }]));
    const both = journal.append([one, { ...one, round: 4 }]);
    expect(level()).toBe(1);
    createTaskRecords(db).accept(task({ task_id: 'b' }));
    expect(level()).toBe(2);
    expect(journal.read()).toHaveLength(5);
    await Promise.all([...waits, both]);
  });

  test('an append of which nothing can be kept throws at once', () => {
    const journal = acceptedJournal(db, 'a');
    db.close();
    expect(() => journal.append([one])).toThrow();
  });

  test('every append that returned is there after a kill -9', async () => {
    const folder = tempFolder();
    const child = startProgram(
      `import { openStateDatabase } from './sidecar/base/storage/state-database.ts';
       import { acceptedJournal } from './test/support/accepted-journal.ts';
       import { writeSync } from 'node:fs';
       openStateDatabase(process.argv[2]).then((db) => {
         const journal = acceptedJournal(db, 't');
         for (let round = 1; ; round += 1) {
           void journal.append([{ kind: 'answer', stage: 'run', round, body: round }]);
           writeSync(1, round + '\\n');
         }
       });`,
      folder,
      [folder],
    );
    const exited = exitOf(child);
    let said = await outputOf(child, '\n30\n');
    child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.kill('SIGKILL');
    await exited;
    const lastSaid = Number(said.trim().split('\n').at(-1));
    const db = await openStateDatabase(folder);
    const rounds = acceptedJournal(db, 't')
      .read()
      .map((one) => one.round);
    expect(rounds.length).toBeGreaterThanOrEqual(lastSaid);
    expect(rounds).toEqual(rounds.map((_, index) => index + 1));
    db.close();
  });
});

const task = (input: Partial<TaskInput> = {}) => taskSchema.parse({ task_id: 't1', generation: 1, ...input });
const failed = (generation: number) => ({
  type: 'task_failed' as const,
  task_id: 't1',
  generation,
  error: 'no',
});

describe('task records and the outbox', () => {
  const tempFolder = tempFolders();
  const clock = new ManualClock();
  let folder: string;
  let db: StateDatabase;
  let records: TaskRecords;
  let outbox: Outbox;

  const open = async () => {
    db = await openStateDatabase(folder);
    records = createTaskRecords(db, clock);
    outbox = createOutbox(db);
  };
  beforeEach(async () => {
    folder = tempFolder();
    await open();
  });
  afterEach(() => db.close());

  test('an assignment is new, then known; a higher generation is adopted and a lower one stale', () => {
    expect(records.accept(task())).toBe('new');
    expect(records.accept(task())).toBe('known');
    expect(records.accept(task({ generation: 3 }))).toBe('adopted');
    expect(records.accept(task({ generation: 2 }))).toBe('stale');
    expect(records.get('t1')).toMatchObject({ generation: 3, state: 'accepted', task: { generation: 3 } });
  });

  test('unfinished tasks are found after a restart, oldest first', async () => {
    records.accept(task({ description: 'first', metadata: { keep: [null, 1] } }));
    await clock.advance(5);
    records.accept(task({ task_id: 't2' }));
    records.setRunning('t1');
    records.adopt('t1', 4);
    records.adopt('t1', 2);
    db.close();
    await open();
    expect(records.listUnfinished()).toEqual([
      {
        task: { ...task({ description: 'first', metadata: { keep: [null, 1] } }), generation: 4 },
        generation: 4,
        state: 'running',
        acceptedAtMs: clock.now() - 5,
      },
      expect.objectContaining({ generation: 1, state: 'accepted' }),
    ]);
  });

  test('a task ends in one step: record and journal go, history and frame come', async () => {
    records.accept(task());
    const journal = createTaskJournal(db, 't1');
    await journal.append([{ kind: 'answer', stage: 'run', round: 1, body: 1 }]);
    expect(records.finish('t1', { outcome: 'failed', frame: failed(1) })).toMatchObject({ attempts: 0 });
    expect(records.listUnfinished()).toEqual([]);
    expect(journal.read()).toEqual([]);
    expect(await readHistory(folder, { limit: 10 })).toMatchObject([
      { taskId: 't1', outcome: 'failed', delivery: 'pending' },
    ]);
    expect(outbox.listPending()).toMatchObject([{ frame: failed(1) }]);
  });

  test('a frame waits until it is settled, and the history keeps how it went', async () => {
    records.finish('t1', { outcome: 'failed', frame: failed(1) });
    const [entry] = outbox.listPending();
    outbox.markSent(entry!.id);
    db.close();
    await open();
    expect(outbox.listPending()).toMatchObject([{ attempts: 1 }]);
    outbox.settle(entry!.id, { moot: 'stale_generation' });
    outbox.settle(entry!.id, { acknowledged: 'late' });
    expect(outbox.size).toBe(0);
    expect(await readHistory(folder, { limit: 10 })).toMatchObject([{ delivery: 'moot: stale_generation' }]);
  });

  test('a result that was refused counts as taken once its hub takes it all the same', async () => {
    const frame = { type: 'task_complete' as const, task_id: 't1', generation: 1, result: {} as TaskResult };
    records.finish('t1', { outcome: 'partial', frame: failed(0) });
    outbox.settle(outbox.listPending()[0]!.id, { moot: 'not_found' });
    outbox.settle(records.finish('t1', { outcome: 'success', frame })!.id, { moot: 'stale_generation' });
    const deliveries = async () => (await readHistory(folder, { limit: 10 })).map(({ delivery }) => delivery);
    // What takes the place of a result that cannot be read says nothing about that result.
    outbox.settle(outbox.enqueue(failed(1)).id, { acknowledged: 'failed' });
    expect(await deliveries()).toEqual(['moot: stale_generation', 'moot: not_found']);
    outbox.settle(outbox.enqueue({ ...frame, generation: 2 }).id, { acknowledged: 'complete' });
    expect(await deliveries()).toEqual(['complete', 'moot: not_found']);
  });

  test('a finished task that is given out again keeps its result under the new generation', () => {
    outbox.enqueue(failed(1));
    outbox.markSent(outbox.listPending()[0]!.id);
    expect(outbox.moveToGeneration('t1', 3)).toBe(true);
    expect(outbox.moveToGeneration('t9', 3)).toBe(false);
    expect(outbox.find('t1')).toMatchObject({ frame: { generation: 3, error: 'no' } });
  });

  test('one frame waits per task, the newest', () => {
    outbox.enqueue(failed(1));
    outbox.enqueue({ ...failed(2), error: 'again' });
    expect(outbox.listPending()).toMatchObject([{ frame: { generation: 2, error: 'again' } }]);
  });

  test('a cancelled task sends nothing and stays in the history until it is pruned', async () => {
    records.accept(task());
    expect(records.finish('t1', { outcome: 'cancelled' })).toBeUndefined();
    expect(await readHistory(folder, { limit: 10 })).toMatchObject([
      { outcome: 'cancelled', delivery: 'none', generation: 1 },
    ]);
    records.finish('t2', { outcome: 'failed', frame: { ...failed(1), task_id: 't2' } });
    await clock.advance(1000);
    const kept = { maxAgeMs: 500, maxCount: 10, minPartialAgeMs: 0 };
    expect(records.pruneHistory(kept, 10)).toBe(1);
    expect(await readHistory(folder, { limit: 10 })).toMatchObject([{ taskId: 't2' }]);
  });

  test('the history loses what is too old or too much, some rows at a time, partial results last', async () => {
    const ends = ['partial', 'failed', 'cancelled', 'failed', 'aborted'];
    for (const [index, outcome] of ends.entries()) {
      records.finish(`t${index}`, { outcome });
      await clock.advance(1000);
    }
    const kept = { maxAgeMs: 60_000, maxCount: 2, minPartialAgeMs: 60_000 };
    const left = async () => (await readHistory(folder, { limit: 10 })).map(({ taskId }) => taskId);
    expect(records.pruneHistory(kept, 1)).toBe(1);
    expect(await left()).toEqual(['t4', 't3', 't2', 't0']);
    expect(records.pruneHistory(kept, 10)).toBe(1);
    expect(records.pruneHistory(kept, 10)).toBe(0);
    expect(await left()).toEqual(['t4', 't3', 't0']);
    await clock.advance(60_000);
    expect(records.pruneHistory(kept, 10)).toBe(3);
    expect(await left()).toEqual([]);
  });
});
