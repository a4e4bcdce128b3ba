import { CostLedger } from '../../sidecar/ledger/cost-ledger.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/config/schema.ts';
import type { HubLink } from '../../sidecar/hub-link/types.ts';
import { silentLogger } from '../../sidecar/observability/silent-logger.ts';
import { taskSchema } from '../../sidecar/protocol/task.ts';
import { createOutbox } from '../../sidecar/storage/outbox.ts';
import { openStateDatabase, type StateDatabase } from '../../sidecar/storage/state-database.ts';
import { createTaskJournal } from '../../sidecar/storage/task-journal.ts';
import { createTaskRecords, type TaskRecords } from '../../sidecar/storage/task-records.ts';
import { ActiveTasks } from '../../sidecar/worker/active-tasks.ts';
import { Assignments } from '../../sidecar/worker/assignments.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { tempFolders } from '../support/temp-folder.ts';

const task = (generation: number) => taskSchema.parse({ task_id: 't1', generation });

describe('assignments of a worker', () => {
  const tempFolder = tempFolders();
  let db: StateDatabase;
  let records: TaskRecords;
  let active: ActiveTasks;
  let assignments: Assignments;
  let said: unknown[][];

  beforeEach(() => {
    const clock = new ManualClock();
    db = openStateDatabase(tempFolder());
    records = createTaskRecords(db, clock);
    const journal = ({ task_id: id }: { task_id: string }) => createTaskJournal(db, id);
    active = new ActiveTasks(journal);
    said = [];
    const link = {
      accept: (...args: unknown[]) => said.push(['accept', ...args]),
      release: (...args: unknown[]) => said.push(['release', ...args]),
      flush: () => undefined,
    } as unknown as HubLink;
    const { routing, workflow } = configSchema.parse({});
    assignments = new Assignments({
      active,
      records,
      outbox: createOutbox(db),
      journal,
      link,
      ledger: new CostLedger(),
      rules: { ...routing, ...workflow },
      capacity: { refusal: () => undefined },
      worker: { isDraining: false, onStorageFailed: (error) => said.push(['failed', error]) },
      run: (one) => {
        said.push(['run', one.task.task_id]);
        return new Promise(() => undefined);
      },
      onDropped: () => said.push(['dropped']),
      clock,
      logger: silentLogger,
    });
  });
  afterEach(() => db.close());

  test('an abort of an old generation does not stop the run that replaced it; one of its own does', () => {
    assignments.onAssign(task(1));
    assignments.onAssign(task(2));
    assignments.onDrop('t1', 1);
    expect(active.get('t1')?.control.stopReason).toBeUndefined();
    assignments.onDrop('t1', 2);
    expect(active.get('t1')?.control.stopReason).toBe('cancelled');
  });

  test('an abort that names no generation is about the newest', () => {
    assignments.onAssign(task(2));
    assignments.onDrop('t1');
    expect(active.get('t1')?.control.stopReason).toBe('cancelled');
  });

  test('an abort of an old generation leaves what waits for the end of a cancelled run', () => {
    assignments.onAssign(task(1));
    assignments.onDrop('t1', 1);
    assignments.onAssign(task(2));
    assignments.onDrop('t1', 1);
    expect(active.get('t1')?.next?.generation).toBe(2);
    assignments.onDrop('t1', 2);
    expect(active.get('t1')?.next).toBeUndefined();
  });

  test('an old generation of a running task changes nothing and is not accepted', () => {
    assignments.onAssign(task(3));
    said.length = 0;
    assignments.onAssign(task(2));
    expect(said).toEqual([]);
    expect(active.get('t1')?.generation).toBe(3);
    expect(records.get('t1')?.generation).toBe(3);
  });

  test('an old generation of a task of an earlier life is neither accepted nor run', () => {
    records.accept(task(3));
    assignments.onAssign(task(2));
    expect(said).toEqual([]);
    assignments.onAssign(task(4));
    expect(said).toEqual([
      ['accept', 't1', 4],
      ['run', 't1'],
    ]);
  });
});
