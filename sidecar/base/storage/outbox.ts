/**
 * Implements the outbox: `task_complete` and `task_failed` frames are persisted until the hub acknowledges or
 * refuses them. They are sent in the order of enqueueing, and at most one frame waits per task.
 */
import type { TerminalFrameInput } from '../protocol/worker-frames.ts';
import type { StateRow } from './schema.ts';
import type { StateDatabase } from './state-database.ts';
import { parseStoredJson } from './storage-error.ts';

export interface OutboxEntry {
  id: number;
  frame: TerminalFrameInput;
  attempts: number;
}

/** Outcome of a frame's delivery: the status of its `task_ack`, or the reason of its permanent refusal (`moot`). */
export type Settlement = { acknowledged: string } | { moot: string };

export type Outbox = ReturnType<typeof createOutbox>;

type OutboxRow = Omit<StateRow<'outbox'>, 'task_id'>;
const OUTBOX_COLUMNS = 'id, frame, attempts';

/** Creates the outbox of a database. Its methods throw `StorageError`. */
export function createOutbox({ state }: StateDatabase) {
  const { sql } = state;
  const insert = sql.prepare<[string, string], OutboxRow>(
    `INSERT OR REPLACE INTO outbox (task_id, frame) VALUES (?, ?) RETURNING ${OUTBOX_COLUMNS}`,
  );
  const selectAll = sql.prepare<[], OutboxRow>(`SELECT ${OUTBOX_COLUMNS} FROM outbox ORDER BY id`);
  const selectByTask = sql.prepare<[string], OutboxRow>(
    `SELECT ${OUTBOX_COLUMNS} FROM outbox WHERE task_id = ?`,
  );
  const countAttempt = sql.prepare<[number]>('UPDATE outbox SET attempts = attempts + 1 WHERE id = ?');
  const remove = sql.prepare<[number], { task_id: string; type: string }>(
    "DELETE FROM outbox WHERE id = ? RETURNING task_id, frame ->> 'type' AS type",
  );
  // A refused result is sent again after the hub has reassigned its task.
  const recordDelivery = sql.prepare<[string, string, string]>(
    `UPDATE history SET delivery = ? WHERE task_id = ? AND (delivery = 'pending'
       OR (? = 'task_complete' AND id = (SELECT max(id) FROM history AS same WHERE same.task_id = history.task_id)))`,
  );
  const update = sql.prepare<[string, number]>('UPDATE outbox SET frame = ? WHERE id = ?');
  const updateHistory = sql.prepare<[number, string]>(
    "UPDATE history SET generation = ? WHERE task_id = ? AND delivery = 'pending'",
  );
  const count = sql.prepare<[], number>('SELECT count(*) FROM outbox').pluck();

  const find = (taskId: string): OutboxEntry | undefined => {
    const row = state.guard(() => selectByTask.get(taskId));
    return row && entryOf(row, state.path);
  };
  return {
    /**
     * Persists the frame and replaces an earlier frame of its task. The frame is on disk when this returns.
     */
    enqueue(frame: TerminalFrameInput): OutboxEntry {
      const row = state.guard(() => insert.get(frame.task_id, JSON.stringify(frame)));
      if (!row) throw new Error('INSERT … RETURNING returned no row');
      return entryOf(row, state.path);
    },
    /** Returns all frames, oldest first. */
    listPending: () => state.guard(() => selectAll.all()).map((row) => entryOf(row, state.path)),
    find,
    /** Counts a delivery attempt. `isUnsynced`: whether it suffices that the write survives a killed process, but not a power cut. */
    markSent(id: number, { isUnsynced } = { isUnsynced: false }): void {
      const write = () => countAttempt.run(id);
      if (isUnsynced) state.runUnsynced(write);
      else state.guard(write);
    },
    /** Removes the frame and records its delivery in the history. Ignores unknown ids. */
    settle: (id: number, settlement: Settlement): void =>
      state.transaction(() => {
        const row = remove.get(id);
        // An earlier delivery is replaced only by an acknowledgement.
        if (row)
          recordDelivery.run(deliveryTextOf(settlement), row.task_id, 'moot' in settlement ? '' : row.type);
      }),
    /** Assigns a waiting result to the generation of the hub's reassignment. Returns false if no result waits. */
    moveToGeneration(taskId: string, generation: number): boolean {
      const entry = find(taskId);
      if (!entry) return false;
      state.transaction(() => {
        update.run(JSON.stringify({ ...entry.frame, generation }), entry.id);
        updateHistory.run(generation, taskId);
      });
      return true;
    },
    get size(): number {
      return state.guard(() => count.get()) ?? 0;
    },
  };
}

const deliveryTextOf = (settlement: Settlement): string =>
  'moot' in settlement ? `${MOOT_PREFIX}${settlement.moot}` : settlement.acknowledged;

/** Prefix of `delivery` for a result that the hub refused permanently. The reason follows it. */
export const MOOT_PREFIX = 'moot: ';

const entryOf = ({ id, frame, attempts }: OutboxRow, path: string): OutboxEntry => ({
  id,
  frame: parseStoredJson(frame, path) as TerminalFrameInput,
  attempts,
});
