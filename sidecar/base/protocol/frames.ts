/** Parses the text of a WebSocket message to a typed frame or a failure. Never throws. Checks size and depth of the text before parsing. */
import type * as z from 'zod';
import { isRecord, parseJson } from '../values/json.ts';
import { eventTypes, executionEventFrameSchema } from './events.ts';
import { issuesOf } from './fields.ts';
import { hubFrameSchemas, type HubFrame } from './hub-frames.ts';
import { MAX_BATCHED_EVENTS, MAX_FRAME_IN_BYTES } from './limits.ts';
import { workerFrameSchemas, type WorkerFrame } from './worker-frames.ts';

export * from './hub-frames.ts';
export * from './worker-frames.ts';

/** Maximum nesting depth of a frame. Valid frames are far below it. */
export const MAX_FRAME_DEPTH = 64;

/** Problem of an invalid frame, with the fields that an answer to the sender needs. */
export interface FrameFailure {
  ok: false;
  /** Kind of the problem. A frame with `unknown_type` must be ignored; all other kinds are errors of the sender. */
  code: 'too_large' | 'too_deep' | 'not_json' | 'not_an_object' | 'unknown_type' | 'invalid_fields';
  /** Description for logs and for the sender, with the name of the first invalid field. */
  reason: string;
  type?: string;
  taskId?: string;
  generation?: number;
  /** All invalid fields; only with the code `invalid_fields`. */
  issues?: { field: string; detail: string }[];
}
export type FrameOutcome<F> = { ok: true; frame: F } | FrameFailure;

/** Parses a frame of a worker. An invalid event is dropped, so that the rest of the frame is still used. */
export function parseWorkerFrame(text: string): FrameOutcome<WorkerFrame> {
  const objectOutcome = readObject(text);
  if (!objectOutcome.ok) return objectOutcome;
  const { body } = objectOutcome;
  const outcome = validateFrame<WorkerFrame>(body, workerFrameSchemas);
  if (outcome.ok || body.type !== 'task_progress') return outcome;
  return validateFrame<WorkerFrame>(
    { ...body, execution_event: normalizeEvent(body.execution_event) },
    workerFrameSchemas,
  );
}

/** Parses a frame of a hub. */
export function parseHubFrame(text: string): FrameOutcome<HubFrame> {
  const objectOutcome = readObject(text);
  return objectOutcome.ok ? validateFrame<HubFrame>(objectOutcome.body, hubFrameSchemas) : objectOutcome;
}

function validateFrame<F>(
  body: Record<string, unknown>,
  schemas: Record<string, z.ZodType>,
): FrameOutcome<F> {
  const { type } = body;
  if (typeof type !== 'string') return buildFrameFailure('invalid_fields', 'type: must be a string', body);
  const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined;
  if (!schema)
    return buildFrameFailure('unknown_type', `unknown frame type ${JSON.stringify(type.slice(0, 64))}`, body);
  const parsed = schema.safeParse(body);
  if (parsed.success) return { ok: true, frame: parsed.data as F };
  const issues = issuesOf(parsed.error, 'frame');
  const first = issues[0] ?? { field: 'frame', detail: 'invalid' };
  return { ...buildFrameFailure('invalid_fields', `${first.field}: ${first.detail}`, body), issues };
}

function buildFrameFailure(
  code: FrameFailure['code'],
  reason: string,
  body: Record<string, unknown>,
): FrameFailure {
  const { type, task_id: taskId, generation } = body;
  return {
    ok: false,
    code,
    reason,
    ...(typeof type === 'string' && { type: type.slice(0, 64) }),
    ...(typeof taskId === 'string' && taskId !== '' && taskId.length <= 256 && { taskId }),
    ...(Number.isSafeInteger(generation) && { generation: generation as number }),
  };
}

function readObject(text: string): { ok: true; body: Record<string, unknown> } | FrameFailure {
  if (Buffer.byteLength(text) > MAX_FRAME_IN_BYTES) {
    return { ok: false, code: 'too_large', reason: `more than ${MAX_FRAME_IN_BYTES} bytes` };
  }
  if (isDeeperThan(text, MAX_FRAME_DEPTH)) {
    return { ok: false, code: 'too_deep', reason: `nested deeper than ${MAX_FRAME_DEPTH} levels` };
  }
  const body = parseJson(text);
  if (body === undefined) return { ok: false, code: 'not_json', reason: 'not JSON' };
  return isRecord(body)
    ? { ok: true, body }
    : { ok: false, code: 'not_an_object', reason: 'not a JSON object' };
}

/** Returns whether a JSON text is nested deeper than `maxDepth`. Counts brackets outside of strings, without recursion. */
export function isDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) isInString = !isInString;
    else if (isInString) {
      if (code === 0x5c) index += 1;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return false;
}

/**
 * Normalizes an event of any worker: an unknown type becomes `status`, and null fields are dropped. If other fields are invalid, only type
 * and text remain. Returns undefined for any other value, since a progress frame without an event still renews the lease.
 */
function normalizeEvent(event: unknown): unknown {
  if (!isRecord(event)) return undefined;
  const fields = Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null));
  const isKnownType = (eventTypes as readonly unknown[]).includes(fields.event_type);
  const { events } = fields;
  const coreEvent = {
    event_type: isKnownType ? fields.event_type : 'status',
    text: typeof fields.text === 'string' ? fields.text : '',
  };
  const wholeEvent = {
    ...fields,
    ...coreEvent,
    ...(Array.isArray(events) && {
      events: events
        .slice(0, MAX_BATCHED_EVENTS)
        .map(normalizeEvent)
        .filter((item) => item !== undefined),
    }),
  };
  return executionEventFrameSchema.safeParse(wholeEvent).success ? wholeEvent : coreEvent;
}
