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
  const { event_type: type, phase, model_call: call, text } = event;
  if (type === 'token') return 'the model writes';
  if (call && call.phase !== 'started') return 'between calls';
  if (call) return call.kind === 'load' ? 'loading the model' : 'asking the model';
  if (type === 'tool_call') return phase === 'started' ? text || (event.tool_name ?? 'a tool') : undefined;
  if (type === 'verification') return phase === 'started' ? text : undefined;
  return type === 'status' && (event.droppable || event.on_hold) ? text : undefined;
}

/** The call whose end the event reports. */
export function endedCall({ model_call: call }: ExecutionEvent, atMs: number): EndedCall | undefined {
  if (call?.phase !== 'finished') return undefined;
  const known = (figure = 0): number => Math.max(0, figure);
  const writeMs = known(call.write_ms);
  const workedMs = known(call.load_ms) + known(call.read_ms) + writeMs;
  return { endedAtMs: atMs, workedMs, writtenTokens: known(call.tokens_out), writeMs };
}

export const executionOf = ({ kind, body }: HubEvent): ExecutionEvent | undefined =>
  kind === 'execution' ? executionEventFrameSchema.safeParse(body).data : undefined;
