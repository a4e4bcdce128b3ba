/**
 * The workers connected to this replica, and the stored state of all. One connection per worker: a newer one replaces
 * the older, also across replicas.
 */
import type { Clock } from '../../base/ports.ts';
import type { ReadyWorker } from '../queue/assignment.ts';
import { isInFlight } from '../storage/conditions.ts';
import type { HubStore } from '../storage/unit-of-work.ts';
import type { WorkerRow } from '../storage/tables.ts';
import { workerViewOf } from '../queue/views.ts';
import type { WorkerCondition, WorkerView } from '../queue/views.ts';
import type { WorkerProfile, WorkerSession } from './worker-session.ts';

/** Minimum interval between two updates of a worker's `last_seen_at`. */
const TOUCH_INTERVAL_MS = 30_000;
/** Silence after which a worker of another replica counts as disconnected: the replica may have been killed. */
const STALE_AFTER_MS = 120_000;

export class WorkerDirectory {
  readonly #store: HubStore;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, WorkerSession>();
  readonly #touchedAtMs = new Map<string, number>();

  constructor(options: { store: HubStore; clock: Clock }) {
    this.#store = options.store;
    this.#clock = options.clock;
  }

  findSession(workerId: string): WorkerSession | undefined {
    return this.#sessions.get(workerId);
  }

  /** Workers that are connected to this replica. */
  get connectedWorkers(): { draining: boolean; capacity: number }[] {
    return [...this.#sessions.values()].flatMap(({ profile, draining, isOpen: open }) =>
      profile && open ? [{ draining, capacity: profile.capacity }] : [],
    );
  }

  /** Returns the workers that may get tasks now; a draining worker gets only tasks that it had before. */
  listReady(): ReadyWorker[] {
    const now = this.#clock.now();
    return [...this.#sessions.values()].flatMap((session) => {
      const { profile, draining: isDraining, sessionId, lastAssignedAtMs } = session;
      if (!profile || session.notReady !== undefined || !session.isOpen || session.busyUntilMs > now)
        return [];
      const { workerId, labels, models, capacity } = profile;
      const needsModel = session.needsModel !== undefined;
      return [{ workerId, labels, models, needsModel, capacity, sessionId, lastAssignedAtMs, isDraining }];
    });
  }

  /** Returns when the first pause of a busy worker ends; Infinity if none is paused. */
  findNextReadyMs(): number {
    const now = this.#clock.now();
    const ends = [...this.#sessions.values()].map(({ busyUntilMs }) => busyUntilMs);
    return Math.min(...ends.filter((at) => at > now));
  }

  /**
   * Records the worker as connected here and notifies other replicas, so that they close an older connection. Returns
   * the other connection on this replica, which the caller replaces.
   */
  async connect(session: WorkerSession, profile: WorkerProfile): Promise<WorkerSession | undefined> {
    const now = this.#clock.now();
    const { workerId, name, labels, models, capacity, version, sandbox, ollamaUrl } = profile;
    const fields = {
      name,
      labels: JSON.stringify(labels),
      models: JSON.stringify(models),
      capacity,
      version: version ?? null,
      sandbox: sandbox ?? null,
      ollama_url: ollamaUrl ?? null,
      connected: 1,
      session_id: session.sessionId,
      connected_at: now,
      last_seen_at: now,
    };
    await this.#store.run(async (unit) => {
      const row = await unit.trx
        .insertInto('workers')
        .values({ agent_id: workerId, draining: 0, resources: null, ...fields })
        .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(fields))
        .returningAll()
        .executeTakeFirstOrThrow();
      session.draining = row.draining === 1;
      unit.announce({ kind: 'replaced', agentId: workerId, sessionId: session.sessionId });
      unit.announce({ kind: 'worker', agentId: workerId });
    });
    this.#touchedAtMs.set(workerId, now);
    const other = this.#sessions.get(workerId);
    this.#sessions.set(workerId, session);
    // The message about a newer connection may have arrived before this connection was registered here.
    await this.#endUnlessLatest(session, workerId);
    return other === session ? undefined : other;
  }

  /**
   * Closes the connection here after a newer one of the same worker began on another replica, unless this one is the
   * newer one.
   */
  async onNewerSession(workerId: string, sessionId: string): Promise<void> {
    const session = this.#sessions.get(workerId);
    if (session && session.sessionId !== sessionId) await this.#endUnlessLatest(session, workerId);
  }

  /** Closes the connection unless the database names it as the last one: messages of two replicas may overtake each other. */
  async #endUnlessLatest(session: WorkerSession, workerId: string): Promise<void> {
    const row = await this.#store.db
      .selectFrom('workers')
      .select('session_id')
      .where('agent_id', '=', workerId)
      .executeTakeFirst();
    if (row?.session_id !== session.sessionId) void session.replace();
  }

  /** Closes all connections with 1012 (service restart), after which workers reconnect at once. */
  reconnectAll(): void {
    for (const session of this.#sessions.values()) session.close(1012, 'the hub missed messages; reconnect');
  }

  /** Removes a connection; a newer connection of the same worker stays. */
  async disconnect(session: WorkerSession): Promise<void> {
    const workerId = session.profile?.workerId;
    if (workerId === undefined) return;
    if (this.#sessions.get(workerId) === session) this.#sessions.delete(workerId);
    await this.#store.run(async (unit) => {
      await unit.trx
        .updateTable('workers')
        .set({ connected: 0, session_id: null, last_seen_at: this.#clock.now() })
        .where('agent_id', '=', workerId)
        .where('session_id', '=', session.sessionId)
        .execute();
      unit.announce({ kind: 'worker', agentId: workerId });
    });
  }

  /** Updates the worker's `last_seen_at`, but not more often than `TOUCH_INTERVAL_MS` allows. */
  async touch(workerId: string): Promise<void> {
    const now = this.#clock.now();
    if (now - (this.#touchedAtMs.get(workerId) ?? 0) < TOUCH_INTERVAL_MS) return;
    this.#touchedAtMs.set(workerId, now);
    await this.#store.db
      .updateTable('workers')
      .set({ last_seen_at: now })
      .where('agent_id', '=', workerId)
      .execute();
  }

  async reportResources(workerId: string, resources: object): Promise<void> {
    await this.#store.run(async (unit) => {
      await unit.trx
        .updateTable('workers')
        .set({ resources: JSON.stringify(resources), last_seen_at: this.#clock.now() })
        .where('agent_id', '=', workerId)
        .execute();
      unit.announce({ kind: 'worker', agentId: workerId });
    });
  }

  /**
   * Records the status that a worker reported: why it takes no tasks, its problem, and its models (undefined:
   * unchanged).
   */
  async setStatus(
    session: WorkerSession,
    { notReady, needsModel, notice, models }: WorkerCondition & { models?: string[] | undefined },
  ): Promise<void> {
    const { profile } = session;
    if (!profile) return;
    const { workerId } = profile;
    session.notReady = notReady;
    session.needsModel = needsModel;
    session.notice = notice;
    if (models) session.profile = { ...profile, models };
    await this.#store.run(async (unit) => {
      if (models)
        await unit.trx
          .updateTable('workers')
          .set({ models: JSON.stringify(models) })
          .where('agent_id', '=', workerId)
          .where('session_id', '=', session.sessionId)
          .execute();
      unit.announce({ kind: 'worker', agentId: workerId });
      unit.announce({ kind: 'queue' });
    });
  }

  /** Starts or stops draining a worker, also for its later connections. Returns false if there is no such worker. */
  async drain(workerId: string, draining: boolean, reason?: string): Promise<boolean> {
    return this.#store.run(async (unit) => {
      const row = await unit.trx
        .updateTable('workers')
        .set({ draining: draining ? 1 : 0 })
        .where('agent_id', '=', workerId)
        .returning('agent_id')
        .executeTakeFirst();
      if (!row) return false;
      unit.announce({ kind: 'drain', agentId: workerId, draining, ...(reason && { reason }) });
      unit.announce({ kind: 'worker', agentId: workerId });
      unit.announce({ kind: 'queue' });
      return true;
    });
  }

  /** Returns all workers ever seen, connected ones first. */
  async listViews(workerId?: string): Promise<WorkerView[]> {
    let workers = this.#store.db.selectFrom('workers').selectAll();
    let tasks = this.#store.db.selectFrom('tasks').select(['id', 'title', 'worker_id']).where(isInFlight);
    if (workerId !== undefined) {
      workers = workers.where('agent_id', '=', workerId);
      tasks = tasks.where('worker_id', '=', workerId);
    }
    const [rows, taskRows] = await Promise.all([
      workers.orderBy('connected', 'desc').orderBy('agent_id').limit(5_000).execute(),
      tasks.execute(),
    ]);
    const tasksOf = new Map<string | null, typeof taskRows>();
    for (const task of taskRows) tasksOf.set(task.worker_id, [...(tasksOf.get(task.worker_id) ?? []), task]);
    return rows.map((row) =>
      workerViewOf(
        this.#correctConnected(row),
        tasksOf.get(row.agent_id) ?? [],
        this.#sessions.get(row.agent_id),
      ),
    );
  }

  /** Returns the row with a corrected `connected`, which a killed hub may have left set. */
  #correctConnected(row: WorkerRow): WorkerRow {
    const mayBeOnOtherReplica =
      this.#store.database.kind === 'postgresql' && this.#clock.now() - row.last_seen_at <= STALE_AFTER_MS;
    return this.#sessions.has(row.agent_id) || mayBeOnOtherReplica ? row : { ...row, connected: 0 };
  }
}
