import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { TaskResult } from '../../sidecar/protocol/result.ts';
import { taskSchema, type TaskInput } from '../../sidecar/protocol/task.ts';
import { readHistory } from '../../sidecar/storage/history.ts';
import { createOutbox, type Outbox } from '../../sidecar/storage/outbox.ts';
import { openStateDatabase, type StateDatabase } from '../../sidecar/storage/state-database.ts';
import { StorageError } from '../../sidecar/storage/storage-error.ts';
import { tableSizes } from '../../sidecar/storage/table-sizes.ts';
import { createTaskJournal } from '../../sidecar/storage/task-journal.ts';
import { createTaskRecords, type TaskRecords } from '../../sidecar/storage/task-records.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { tempFolders } from '../support/temp-folder.ts';

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

  const open = () => {
    db = openStateDatabase(folder);
    records = createTaskRecords(db, clock);
    outbox = createOutbox(db);
  };
  beforeEach(() => {
    folder = tempFolder();
    open();
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
    open();
    expect(records.unfinished()).toEqual([
      {
        task: { ...task({ description: 'first', metadata: { keep: [null, 1] } }), generation: 4 },
        generation: 4,
        state: 'running',
        acceptedAtMs: clock.now() - 5,
      },
      expect.objectContaining({ generation: 1, state: 'accepted' }),
    ]);
  });

  test('a task ends in one step: record and journal go, history and frame come', () => {
    records.accept(task());
    const journal = createTaskJournal(db, 't1');
    journal.append([{ kind: 'answer', stage: 'run', round: 1, call: 0, body: 1 }]);
    expect(records.finish('t1', { outcome: 'failed', frame: failed(1) })).toMatchObject({ attempts: 0 });
    expect(records.unfinished()).toEqual([]);
    expect(journal.read('run')).toEqual([]);
    expect(readHistory(folder, { limit: 10 })).toMatchObject([
      { taskId: 't1', outcome: 'failed', delivery: 'pending' },
    ]);
    expect(outbox.pending()).toMatchObject([{ frame: failed(1) }]);
  });

  test('a frame waits until it is settled, and the history keeps how it went', () => {
    records.finish('t1', { outcome: 'failed', frame: failed(1) });
    const [entry] = outbox.pending();
    outbox.markSent(entry!.id);
    db.close();
    open();
    expect(outbox.pending()).toMatchObject([{ attempts: 1 }]);
    outbox.settle(entry!.id, { moot: 'stale_generation' });
    outbox.settle(entry!.id, { acknowledged: 'late' });
    expect(outbox.size).toBe(0);
    expect(readHistory(folder, { limit: 10 })).toMatchObject([{ delivery: 'moot: stale_generation' }]);
  });

  test('a result that was refused counts as taken once its hub takes it all the same', () => {
    const frame = { type: 'task_complete' as const, task_id: 't1', generation: 1, result: {} as TaskResult };
    records.finish('t1', { outcome: 'partial', frame: failed(0) });
    outbox.settle(outbox.pending()[0]!.id, { moot: 'not_found' });
    outbox.settle(records.finish('t1', { outcome: 'success', frame })!.id, { moot: 'stale_generation' });
    const deliveries = () => readHistory(folder, { limit: 10 }).map(({ delivery }) => delivery);
    // What takes the place of a result that cannot be read says nothing about that result.
    outbox.settle(outbox.enqueue(failed(1)).id, { acknowledged: 'failed' });
    expect(deliveries()).toEqual(['moot: stale_generation', 'moot: not_found']);
    outbox.settle(outbox.enqueue({ ...frame, generation: 2 }).id, { acknowledged: 'complete' });
    expect(deliveries()).toEqual(['complete', 'moot: not_found']);
  });

  test('a finished task that is given out again keeps its result under the new generation', () => {
    outbox.enqueue(failed(1));
    outbox.markSent(outbox.pending()[0]!.id);
    expect(outbox.restamp('t1', 3)).toBe(true);
    expect(outbox.restamp('t9', 3)).toBe(false);
    expect(outbox.find('t1')).toMatchObject({ frame: { generation: 3, error: 'no' } });
  });

  test('one frame waits per task, the newest', () => {
    outbox.enqueue(failed(1));
    outbox.enqueue({ ...failed(2), error: 'again' });
    expect(outbox.pending()).toMatchObject([{ frame: { generation: 2, error: 'again' } }]);
  });

  test('a cancelled task sends nothing and stays in the history until it is pruned', async () => {
    records.accept(task());
    expect(records.finish('t1', { outcome: 'cancelled' })).toBeUndefined();
    expect(readHistory(folder, { limit: 10 })).toMatchObject([
      { outcome: 'cancelled', delivery: 'none', generation: 1 },
    ]);
    records.finish('t2', { outcome: 'failed', frame: { ...failed(1), task_id: 't2' } });
    await clock.advance(1000);
    const kept = { maxAgeMs: 500, maxCount: 10, minPartialAgeMs: 0 };
    expect(records.pruneHistory(kept, 10)).toBe(1);
    expect(readHistory(folder, { limit: 10 })).toMatchObject([{ taskId: 't2' }]);
  });

  test('the history loses what is too old or too much, some rows at a time, partial results last', async () => {
    const ends = ['partial', 'failed', 'cancelled', 'failed', 'aborted'];
    for (const [index, outcome] of ends.entries()) {
      records.finish(`t${index}`, { outcome });
      await clock.advance(1000);
    }
    const kept = { maxAgeMs: 60_000, maxCount: 2, minPartialAgeMs: 60_000 };
    const left = () => readHistory(folder, { limit: 10 }).map(({ taskId }) => taskId);
    expect(records.pruneHistory(kept, 1)).toBe(1);
    expect(left()).toEqual(['t4', 't3', 't2', 't0']);
    expect(records.pruneHistory(kept, 10)).toBe(1);
    expect(records.pruneHistory(kept, 10)).toBe(0);
    expect(left()).toEqual(['t4', 't3', 't0']);
    expect(records.partialTasks()).toEqual(['t0']);
    await clock.advance(60_000);
    expect(records.pruneHistory(kept, 10)).toBe(3);
    expect(left()).toEqual([]);
  });

  test('the sizes of tables are read beside the process that has the file', () => {
    records.finish('t1', { outcome: 'failed' });
    const sizes = tableSizes(db.state.path, ['history', 'outbox']);
    expect(sizes).toEqual({ rows: { history: 1, outbox: 0 }, sizeBytes: expect.any(Number) });
    expect(sizes?.sizeBytes).toBeGreaterThan(4096);
    expect(tableSizes(`${db.state.path}.none`, ['history'])).toBeUndefined();
    expect(() => tableSizes(db.state.path, ['nope'])).toThrow(StorageError);
  });
});
