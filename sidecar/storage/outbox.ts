/**
 * The outbox: `task_complete` and `task_failed` on disk until the hub acknowledged them or no longer wants them.
 * Order of sending is order of enqueueing; at most one frame waits per task.
 */
import type { Clock } from '../ports.ts';
import type { TerminalFrameInput } from '../protocol/worker-frames.ts';
import type { StateDatabase } from './state-database.ts';
import { storedJson } from './storage-error.ts';

export interface OutboxEntry {
  id: number;
  frame: TerminalFrameInput;
  attempts: number;
}

/** How a frame's delivery ended: the status of its `task_ack`, or why it is no longer wanted (`moot`). */
export type Settlement = { acknowledged: string } | { moot: string };

/** Methods throw `StorageError`. */
export interface Outbox {
  /** Replaces what waits for the same task. On disk when it returns. */
  enqueue(frame: TerminalFrameInput): OutboxEntry;
  /** All that wait, oldest first. */
  pending(): OutboxEntry[];
  find(taskId: string): OutboxEntry | undefined;
  /** `soon`: survives a killed process, and does not wait for the disk to survive a power cut too. */
  markSent(id: number, options?: { soon: boolean }): void;
  /** Forgets the frame and notes the delivery in the history. Unknown ids are ignored. */
  settle(id: number, settlement: Settlement): void;
  /** The hub gave a finished task out again: its result now counts for `generation`. False when none waits. */
  restamp(taskId: string, generation: number): boolean;
  readonly size: number;
}

interface Row {
  id: number;
  frame: string;
  attempts: number;
}
const COLUMNS = 'id, frame, attempts';

export function createOutbox({ state }: StateDatabase, clock: Pick<Clock, 'now'> = Date): Outbox {
  const { sql } = state;
  const insert = sql.prepare<[string, number, string, number], Row>(
    `INSERT INTO outbox (task_id, generation, frame, enqueued_at) VALUES (?, ?, ?, ?) RETURNING ${COLUMNS}`,
  );
  const removeTask = sql.prepare<[string]>('DELETE FROM outbox WHERE task_id = ?');
  const all = sql.prepare<[], Row>(`SELECT ${COLUMNS} FROM outbox ORDER BY id`);
  const byTask = sql.prepare<[string], Row>(`SELECT ${COLUMNS} FROM outbox WHERE task_id = ?`);
  const sent = sql.prepare<[number, number]>(
    'UPDATE outbox SET sent_at = ?, attempts = attempts + 1 WHERE id = ?',
  );
  const remove = sql.prepare<[number], { task_id: string }>(
    'DELETE FROM outbox WHERE id = ? RETURNING task_id',
  );
  const noteDelivery = sql.prepare<[string, string]>(
    "UPDATE history SET delivery = ? WHERE task_id = ? AND delivery = 'pending'",
  );
  const update = sql.prepare<[number, string, number]>(
    'UPDATE outbox SET generation = ?, frame = ?, sent_at = NULL WHERE id = ?',
  );
  const updateHistory = sql.prepare<[number, string]>(
    "UPDATE history SET generation = ? WHERE task_id = ? AND delivery = 'pending'",
  );
  const count = sql.prepare<[], number>('SELECT count(*) FROM outbox').pluck();

  const find = (taskId: string): OutboxEntry | undefined => {
    const row = state.guard(() => byTask.get(taskId));
    return row && entryOf(row, state.path);
  };
  return {
    enqueue: (frame) =>
      inTransaction(state, () => {
        removeTask.run(frame.task_id);
        const row = insert.get(
          frame.task_id,
          frame.generation,
          JSON.stringify(frame),
          Math.round(clock.now()),
        );
        if (!row) throw new Error('INSERT … RETURNING gave no row');
        return entryOf(row, state.path);
      }),
    pending: () => state.guard(() => all.all()).map((row) => entryOf(row, state.path)),
    find,
    markSent(id, { soon } = { soon: false }) {
      const write = () => sent.run(Math.round(clock.now()), id);
      if (soon) state.soon(write);
      else state.guard(write);
    },
    settle: (id, settlement) =>
      inTransaction(state, () => {
        const row = remove.get(id);
        if (row) noteDelivery.run(deliveryText(settlement), row.task_id);
      }),
    restamp(taskId, generation) {
      const entry = find(taskId);
      if (!entry) return false;
      inTransaction(state, () => {
        update.run(generation, JSON.stringify({ ...entry.frame, generation }), entry.id);
        updateHistory.run(generation, taskId);
      });
      return true;
    },
    get size() {
      return state.guard(() => count.get()) ?? 0;
    },
  };
}

/** Joins a transaction that is open already, so that a task's end and its frame are written together. */
function inTransaction<T>(state: StateDatabase['state'], work: () => T): T {
  return state.sql.inTransaction ? work() : state.transaction(work);
}

const deliveryText = (settlement: Settlement): string =>
  'moot' in settlement ? `moot: ${settlement.moot}` : settlement.acknowledged;

const entryOf = ({ id, frame, attempts }: Row, path: string): OutboxEntry => ({
  id,
  frame: storedJson(frame, path) as TerminalFrameInput,
  attempts,
});
