/** Finds the stage of running tasks: the latest event that states what the worker is doing. */
import { executionEventFrameSchema, type ExecutionEvent } from '../protocol/events.ts';
import type { HubClient } from '../hub-client/hub-client.ts';

/** Number of newest events in the first read; later reads get one page of new events. */
const FIRST_EVENTS = 300;

export class StageReader {
  readonly #client: Pick<HubClient, 'eventPage' | 'task'>;
  readonly #read = new Map<string, { after: number; stage: string | undefined }>();

  constructor(client: Pick<HubClient, 'eventPage' | 'task'>) {
    this.#client = client;
  }

  /** Reads the task's new events and returns its stage, if its worker reports one. Rejects with `HubError`. */
  async stageOf(taskId: string): Promise<string | undefined> {
    const read = this.#read.get(taskId) ?? { after: await this.#firstAfter(taskId), stage: undefined };
    this.#read.set(taskId, read);
    const { events, next_after: after } = await this.#client.eventPage(taskId, read.after);
    read.after = after;
    for (const { kind, body } of events) {
      const event = kind === 'execution' ? executionEventFrameSchema.safeParse(body).data : undefined;
      read.stage = (event && stageIn(event)) ?? read.stage;
    }
    return read.stage;
  }

  async #firstAfter(taskId: string): Promise<number> {
    const { last_event_id: last } = await this.#client.task(taskId);
    return Math.max(0, (last ?? 0) - FIRST_EVENTS);
  }
}

/** Returns the stage that the event reports; undefined if there is none. */
export function stageIn(event: ExecutionEvent): string | undefined {
  const { event_type: type, phase, model_call: call, text } = event;
  if (type === 'token') return 'the model writes';
  if (call && call.phase !== 'started') return 'between calls';
  if (call) return call.kind === 'load' ? 'loading the model' : 'asking the model';
  if (type === 'tool_call') return phase === 'started' ? text || (event.tool_name ?? 'a tool') : undefined;
  if (type === 'verification') return phase === 'started' ? text : undefined;
  return type === 'status' && (event.droppable || event.on_hold) ? text : undefined;
}
