/** `tasks`: lists a hub's tasks, newest first, with what each does or waits for. */
import type { HubClient, TaskSummary } from '../../hub/client/hub-client.ts';
import { type HubFlags, openHub } from '../hub-address.ts';
import { showList } from '../live-list.ts';
import { paintStatus } from '../paint-status.ts';
import { formatDuration, type Terminal } from '../terminal.ts';
import { toPrintable, toPrintableLine } from '../../base/values/printable.ts';
import { type ExecutionEvent, executionEventFrameSchema } from '../../base/protocol/events.ts';

/** Width of the terminal, in characters, below which some columns are left out. */
const WIDE_COLUMNS = 120;
/** Maximum number of running tasks whose stage is read; other tasks show no stage. */
const MAX_STAGE_READS = 20;

interface TasksOptions extends HubFlags {
  status?: string;
  outcome?: string;
  limit: number;
  watch?: boolean;
}

interface ListedTask extends TaskSummary {
  /** Current activity of the task, its open question, or the reason why it waits. */
  now?: string | undefined;
}

export async function tasksCommand({ status, outcome, limit, watch, ...flags }: TasksOptions): Promise<void> {
  const { terminal, client } = await openHub(flags);
  const stages = new StageReader(client);
  await showList(terminal, { watch }, async () => {
    const tasks = await client.tasks({
      limit: String(limit),
      ...(status && { status }),
      ...(outcome && { outcome: outcome.replace('-', '_') }),
    });
    const running = tasks
      .filter((task) => task.status === 'running' && !waitingReasonOf(task))
      .slice(0, MAX_STAGE_READS);
    const texts = await Promise.all(running.map(({ task_id: id }) => stages.readStage(id)));
    const stageOf = new Map(running.map((task, index) => [task, texts[index]]));
    const rows = tasks.map((task): ListedTask => ({
      ...task,
      now: waitingReasonOf(task) ?? stageOf.get(task),
    }));
    return { items: rows, list: createTaskList(terminal, rows) };
  });
}

/** Returns why a task does not continue (its question, its hold, or its reason to wait); undefined if it continues. */
const waitingReasonOf = ({ asks, on_hold: hold, waiting_for: waitsFor }: TaskSummary): string | undefined =>
  asks?.summary ?? hold?.reason ?? (waitsFor ? `waits for ${waitsFor}` : undefined);

function createTaskList({ color, width }: Terminal, rows: readonly ListedTask[]) {
  const hasPriorities = rows.some(({ priority }) => priority);
  const showsActivity = rows.some(({ now }) => now);
  const isNarrow = width < WIDE_COLUMNS;
  const titleWidth = Math.max(16, Math.floor((width - (isNarrow ? 48 : 70)) / (showsActivity ? 2 : 1)));
  return {
    emptyText: 'No tasks. Submit one:  ollama-sidecar submit "…" --repo DIR',
    titles: [
      'TASK',
      'STATUS',
      ...(hasPriorities ? ['PRIORITY'] : []),
      'WORKER',
      'BY',
      'TOOK',
      'WHAT',
      ...(showsActivity ? ['NOW'] : []),
    ],
    row: (task: ListedTask) => [
      toPrintable(task.task_id),
      paintStatus(color, task.on_hold && !task.asks ? 'on hold' : task.not_done ? 'not done' : task.status),
      ...(hasPriorities ? [task.priority ? String(task.priority) : ''] : []),
      toPrintableLine(task.worker_id ?? '–', 20),
      toPrintableLine(task.submitted_by ?? '–', 20),
      durationTextOf(task),
      toPrintableLine(task.title, titleWidth),
      ...(showsActivity
        ? [toPrintableLine(task.now ?? '', isNarrow ? titleWidth : Math.max(40, titleWidth))]
        : []),
    ],
    optionalColumns: ['BY', 'PRIORITY', 'WORKER'],
  };
}

function durationTextOf({ status, worked_ms: workedMs, assigned_at: assignedAtMs }: TaskSummary): string {
  if (status === 'running' && assignedAtMs) return formatDuration(Math.max(0, Date.now() - assignedAtMs));
  return workedMs ? formatDuration(workedMs) : '–';
}

/** Number of the newest events that the first read gets; later reads get one page of new events. */
const FIRST_EVENT_COUNT = 300;

class StageReader {
  readonly #client: Pick<HubClient, 'eventPage' | 'task'>;
  readonly #states = new Map<string, { after: number; stage: string | undefined }>();

  constructor(client: Pick<HubClient, 'eventPage' | 'task'>) {
    this.#client = client;
  }

  /** Reads the task's new events and returns its stage, if its worker reports one. Rejects with `HubError`. */
  async readStage(taskId: string): Promise<string | undefined> {
    const state = this.#states.get(taskId) ?? { after: await this.#readStartId(taskId), stage: undefined };
    this.#states.set(taskId, state);
    const { events, next_after: after } = await this.#client.eventPage(taskId, state.after);
    state.after = after;
    for (const { kind, body } of events) {
      const event = kind === 'execution' ? executionEventFrameSchema.safeParse(body).data : undefined;
      state.stage = (event && stageOfEvent(event)) ?? state.stage;
    }
    return state.stage;
  }

  async #readStartId(taskId: string): Promise<number> {
    const { last_event_id: last } = await this.#client.task(taskId);
    return Math.max(0, (last ?? 0) - FIRST_EVENT_COUNT);
  }
}

/** Returns the stage that the event reports; undefined if there is none. */
function stageOfEvent(event: ExecutionEvent): string | undefined {
  const { event_type: type, phase, model_call: call, text } = event;
  if (type === 'token') return 'writing an answer';
  if (call && call.phase !== 'started') return 'between calls';
  if (call) return call.kind === 'load' ? 'loading the model' : 'asking the model';
  if (type === 'tool_call') return phase === 'started' ? text || (event.tool_name ?? 'a tool') : undefined;
  if (type === 'verification') return phase === 'started' ? text : undefined;
  return type === 'status' && (event.droppable || event.on_hold) ? text : undefined;
}
