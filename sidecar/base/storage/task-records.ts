/**
 * Stores the tasks of this worker and their outcomes. A task is stored before the worker acknowledges it (ARCHITECTURE, Write before you
 * acknowledge). At its end, one transaction adds its result to the outbox and the history, and deletes its journal.
 */
import type { Clock } from '../ports.ts';
import type { TaskResult } from '../protocol/result.ts';
import { taskSchema, type Task } from '../protocol/task.ts';
import type { TerminalFrameInput } from '../protocol/worker-frames.ts';
import { createOutbox, type OutboxEntry } from './outbox.ts';
import type { StateRow } from './schema.ts';
import type { StateDatabase } from './state-database.ts';
import { StorageError, parseStoredJson } from './storage-error.ts';

export interface TaskRecord {
  task: Task;
  /** Newest generation under which this worker runs the task; equals `task.generation`. */
  generation: number;
  state: WorkerTaskRow['state'];
  acceptedAtMs: number;
}
export interface TaskEnding {
  /** Outcome in the history: `success`, `partial`, `failed`, `cancelled`, or `aborted`. */
  outcome: string;
  result?: TaskResult;
  /** Frame to send to the hub; missing if nothing is sent (outcome `cancelled` or `aborted`). */
  frame?: TerminalFrameInput;
}

/** Limits for removing rows of the history. Undelivered results are never removed. */
export interface HistoryLimits {
  maxAgeMs: number;
  maxCount: number;
  /** Minimum age at which partial results are removed, because their workspaces are retained that long. */
  minPartialAgeMs: number;
}

export type TaskRecords = ReturnType<typeof createTaskRecords>;

type WorkerTaskRow = StateRow<'tasks'>;

/** Creates the task records of a database. Their methods throw `StorageError`. */
export function createTaskRecords(db: StateDatabase, clock: Pick<Clock, 'now'> = Date) {
  const { state } = db;
  const statements = prepareStatements(db);
  return {
    accept: (task: Task) => state.transaction(() => accept(statements, task, readNowMs(clock))),
    /** Assigns a running task to the generation that the hub named in `task_continue`. */
    adopt: (taskId: string, generation: number) =>
      void state.guard(() => statements.adopt.run(generation, taskId, generation)),
    setRunning: (taskId: string) => void state.guard(() => statements.setRunning.run(taskId)),
    get(taskId: string): TaskRecord | undefined {
      const row = state.guard(() => statements.select.get(taskId));
      return row && recordOf(row, state.path);
    },
    /** Returns accepted tasks that have not ended, oldest first. */
    listUnfinished: () =>
      state.guard(() => statements.unfinished.all()).map((row) => recordOf(row, state.path)),
    finish: createFinisher(db, statements, clock),
    /**
     * Returns the newest generation under which the task ended on this worker, or undefined if it never ended
     * here.
     */
    findEndedGeneration: (taskId: string) =>
      state.guard(() => statements.endedGeneration.get(taskId)) ?? undefined,
    /** Returns the newest successful or partial result of the task in the history. */
    findUsableResult(taskId: string): TaskResult | undefined {
      const row = state.guard(() => statements.usableResult.get(taskId));
      return row === undefined ? undefined : (parseStoredJson(row, state.path) as TaskResult);
    },
    /**
     * Removes at most `maxRows` rows of the history that exceed `limits`. Returns the number of
     * removed rows.
     */
    pruneHistory: (limits: HistoryLimits, maxRows: number) =>
      pruneHistory(db, statements, limits, { maxRows, nowMs: readNowMs(clock) }),
  };
}

/** Returns the time in whole milliseconds, because the columns reject the fractions of an injected clock. */
const readNowMs = (clock: Pick<Clock, 'now'>): number => Math.round(clock.now());

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements({ state: { sql } }: StateDatabase) {
  const columns = 'task_id, generation, assignment, state, accepted_at';
  return {
    select: sql.prepare<[string], WorkerTaskRow>(`SELECT ${columns} FROM tasks WHERE task_id = ?`),
    unfinished: sql.prepare<[], WorkerTaskRow>(`SELECT ${columns} FROM tasks ORDER BY accepted_at, rowid`),
    insert: sql.prepare<[string, number, string, number]>(
      "INSERT INTO tasks (task_id, generation, assignment, state, accepted_at) VALUES (?, ?, ?, 'accepted', ?)",
    ),
    reassign: sql.prepare<[number, string, string]>(
      'UPDATE tasks SET generation = ?, assignment = ? WHERE task_id = ?',
    ),
    adopt: sql.prepare<[number, string, number]>(
      'UPDATE tasks SET generation = ? WHERE task_id = ? AND generation <= ?',
    ),
    setRunning: sql.prepare<[string]>("UPDATE tasks SET state = 'running' WHERE task_id = ?"),
    remove: sql.prepare<[string], { generation: number }>(
      'DELETE FROM tasks WHERE task_id = ? RETURNING generation',
    ),
    addHistory: sql.prepare<[string, number, string, string | null, string | null, string, number]>(
      'INSERT INTO history (task_id, generation, outcome, result, error, delivery, finished_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    endedGeneration: sql
      .prepare<[string], number | null>('SELECT max(generation) FROM history WHERE task_id = ?')
      .pluck(),
    usableResult: sql
      .prepare<[string], string>(
        `SELECT result FROM history WHERE task_id = ? AND result IS NOT NULL AND outcome IN ('success', 'partial')
         ORDER BY id DESC LIMIT 1`,
      )
      .pluck(),
    /** Selects the end time of the newest row beyond the maximum count. */
    endOfSurplus: sql
      .prepare<[number], number>('SELECT finished_at FROM history ORDER BY finished_at DESC LIMIT 1 OFFSET ?')
      .pluck(),
    prune: sql.prepare<[number, number, number]>(
      `DELETE FROM history WHERE id IN (
         SELECT id FROM history
         WHERE finished_at < ? AND delivery <> 'pending' AND (outcome <> 'partial' OR finished_at < ?)
         ORDER BY finished_at LIMIT ?)`,
    ),
  };
}

/**
 * Stores an assignment. Returns `new` for a new task, `adopted` for a known task with a higher generation, `known` for a repeated
 * assignment, or `stale` for an older generation, which changes nothing.
 */
function accept(statements: Statements, task: Task, nowMs: number): 'new' | 'adopted' | 'known' | 'stale' {
  const existingTask = statements.select.get(task.task_id);
  const assignment = JSON.stringify(task);
  if (!existingTask) {
    statements.insert.run(task.task_id, task.generation, assignment, nowMs);
    return 'new';
  }
  if (task.generation < existingTask.generation) return 'stale';
  if (task.generation === existingTask.generation) return 'known';
  statements.reassign.run(task.generation, assignment, task.task_id);
  return 'adopted';
}

/**
 * Returns a function that ends a task in one transaction: it deletes the record and the journal, and adds a
 * history row and the frame.
 */
function createFinisher(db: StateDatabase, statements: Statements, clock: Pick<Clock, 'now'>) {
  const outbox = createOutbox(db);
  return (taskId: string, { outcome, result, frame }: TaskEnding): OutboxEntry | undefined =>
    db.state.transaction(() => {
      const generation = statements.remove.get(taskId)?.generation ?? frame?.generation ?? 0;
      statements.addHistory.run(
        taskId,
        frame?.generation ?? generation,
        outcome,
        result ? JSON.stringify(result) : null,
        frame?.type === 'task_failed' ? (frame.error ?? null) : null,
        frame ? 'pending' : 'none',
        readNowMs(clock),
      );
      return frame && outbox.enqueue(frame);
    });
}

/**
 * Removes old and surplus rows without waiting for the disk. Rows that reappear after a power cut are removed
 * by the next run.
 */
function pruneHistory(
  { state }: StateDatabase,
  statements: Statements,
  { maxAgeMs, maxCount, minPartialAgeMs }: HistoryLimits,
  { maxRows, nowMs }: { maxRows: number; nowMs: number },
): number {
  return state.runUnsynced(() => {
    const endOfSurplus = statements.endOfSurplus.get(maxCount) ?? Number.NEGATIVE_INFINITY;
    const endedBeforeMs = Math.max(nowMs - maxAgeMs, endOfSurplus + 1);
    return statements.prune.run(endedBeforeMs, nowMs - minPartialAgeMs, maxRows).changes;
  });
}

function recordOf(row: WorkerTaskRow, path: string): TaskRecord {
  const task = taskSchema.safeParse(parseStoredJson(row.assignment, path));
  if (!task.success) {
    throw new StorageError(
      'storage_corrupt',
      path,
      `${path}: the stored assignment of task ${row.task_id} is invalid; move the file away to start with an empty one (its tasks are lost)`,
    );
  }
  return {
    task: { ...task.data, generation: row.generation },
    generation: row.generation,
    state: row.state,
    acceptedAtMs: row.accepted_at,
  };
}
