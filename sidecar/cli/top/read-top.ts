/** Asks a hub what goes on: its figures, workers, queue, and of each running task what is new since the last time. */
import type {
  HubClient,
  HubStats,
  HubWorker,
  TaskSummary,
  WaitingTasks,
} from '../../hub-client/hub-client.ts';
import type { Clock } from '../../ports.ts';
import { endedCall, executionOf, stageOf, type Doing, type EndedCall } from './stage.ts';

const MAX_RUNNING = 20;
/** Pages of events that one look reads of a task; the rest comes with the next ones. */
const MAX_PAGES = 10;
/** Calls of models count for so long. */
const WINDOW_MS = 60_000;

interface RunningTask {
  task_id: string;
  title: string;
  worker_id: string | null;
  model: string | null;
  running_ms: number | null;
  /** Its stage right now; null where its worker does not report it. */
  stage: string | null;
  stage_ms: number | null;
}

export interface ModelUse {
  model: string;
  calls: number;
  /** Part of the last minute that its server worked for tasks that are running; more than 1 with several at once. */
  busy_share: number;
  /** While it wrote; null where nothing was reported. */
  tokens_per_second: number | null;
}

export interface TopFigures {
  at: number;
  tasks: HubStats['tasks'];
  load: number;
  capacity: number;
  workers: HubWorker[];
  waiting: WaitingTasks[];
  running: RunningTask[];
  models: ModelUse[];
}

interface Followed {
  after: number;
  model: string | undefined;
  doing: Doing | undefined;
}

export class TopReader {
  readonly #client: HubClient;
  readonly #clock: Clock;
  #followed = new Map<string, Followed>();
  #calls: (EndedCall & { model: string })[] = [];

  constructor(client: HubClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Throws `HubError` where the hub does not answer. */
  async read(): Promise<TopFigures> {
    const [stats, workers, waiting, tasks] = await Promise.all([
      this.#client.stats(),
      this.#client.workers(),
      this.#client.waiting(),
      this.#client.tasks({ status: 'running,assigned', limit: String(MAX_RUNNING) }),
    ]);
    const known = this.#followed;
    this.#followed = new Map(
      tasks.map(({ task_id: id }) => [id, known.get(id) ?? { after: 0, model: undefined, doing: undefined }]),
    );
    await Promise.all([...this.#followed].map(([id, followed]) => this.#follow(id, followed)));
    const now = this.#clock.now();
    this.#calls = this.#calls.filter(({ endedAtMs }) => endedAtMs > now - WINDOW_MS);
    return {
      at: now,
      tasks: stats.tasks,
      load: stats.workers.load,
      capacity: stats.workers.capacity,
      workers: workers.filter(({ connected }) => connected),
      waiting,
      running: tasks.map((task) => this.#running(task, now)),
      models: usesOf(this.#calls),
    };
  }

  async #follow(id: string, followed: Followed): Promise<void> {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { events, next_after: after, more } = await this.#client.eventPage(id, followed.after);
      followed.after = after;
      for (const event of events) {
        const execution = executionOf(event);
        if (!execution) continue;
        followed.model = execution.model ?? followed.model;
        const stage = stageOf(execution);
        if (stage !== undefined && stage !== followed.doing?.stage)
          followed.doing = { stage, sinceMs: event.at };
        const call = endedCall(execution, event.at);
        if (call) this.#calls.push({ ...call, model: followed.model ?? '' });
      }
      if (!more) return;
    }
  }

  #running(task: TaskSummary, now: number): RunningTask {
    const { doing, model } = this.#followed.get(task.task_id) ?? {};
    return {
      task_id: task.task_id,
      title: task.title,
      worker_id: task.worker_id ?? null,
      model: task.model ?? model ?? null,
      running_ms: task.assigned_at ? Math.max(0, now - task.assigned_at) : null,
      stage: doing?.stage ?? null,
      stage_ms: doing ? Math.max(0, now - doing.sinceMs) : null,
    };
  }
}

function usesOf(calls: readonly (EndedCall & { model: string })[]): ModelUse[] {
  const models = new Map<string, (typeof calls)[number][]>();
  for (const call of calls) models.set(call.model, [...(models.get(call.model) ?? []), call]);
  const sum = (some: readonly EndedCall[], key: 'workedMs' | 'writtenTokens' | 'writeMs') =>
    some.reduce((all, call) => all + call[key], 0);
  return [...models].map(([model, some]) => {
    const writeMs = sum(some, 'writeMs');
    return {
      model,
      calls: some.length,
      busy_share: Math.round((sum(some, 'workedMs') / WINDOW_MS) * 100) / 100,
      tokens_per_second:
        writeMs > 0 ? Math.round((sum(some, 'writtenTokens') / writeMs) * 10_000) / 10 : null,
    };
  });
}
