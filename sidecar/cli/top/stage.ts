/** A task's stage right now, and the times of its latest calls of models, from its events. Pure. */
import { executionEventFrameSchema, type ExecutionEvent } from '../../protocol/events.ts';
import type { HubEvent } from '../../hub-client/hub-client.ts';

/** A call of a model that has ended. */
export interface EndedCall {
  endedAtMs: number;
  workedMs: number;
  writtenTokens: number;
  writeMs: number;
}

export interface Doing {
  stage: string;
  sinceMs: number;
}

/** The event's stage; undefined where it has none. */
export function stageOf(event: ExecutionEvent): string | undefined {
  const {
    event_type: type,
    phase,
    model_call: call,
    tool_name: tool,
    text,
    droppable,
    on_hold: onHold,
  } = event;
  if (type === 'token') return 'the model writes';
  if (call)
    return call.phase === 'started'
      ? call.kind === 'load'
        ? 'loading the model'
        : 'asking the model'
      : 'between calls';
  if (type === 'tool_call')
    return phase === 'started' ? (text === '' ? (tool ?? 'a tool') : text) : undefined;
  if (type === 'verification') return phase === 'started' ? text : undefined;
  return type === 'status' && (droppable || onHold) ? text : undefined;
}

/** The call whose end the event reports. */
export function endedCall({ model_call: call }: ExecutionEvent, atMs: number): EndedCall | undefined {
  if (call?.phase !== 'finished') return undefined;
  const { load_ms: load = 0, read_ms: read = 0, write_ms: write = 0, tokens_out: tokens = 0 } = call;
  const worked = Math.max(0, load) + Math.max(0, read) + Math.max(0, write);
  return {
    endedAtMs: atMs,
    workedMs: worked,
    writtenTokens: Math.max(0, tokens),
    writeMs: Math.max(0, write),
  };
}

export const executionOf = ({ kind, body }: HubEvent): ExecutionEvent | undefined =>
  kind === 'execution' ? executionEventFrameSchema.safeParse(body).data : undefined;
