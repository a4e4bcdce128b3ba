/**
 * Reads frames: the text of a socket becomes a typed frame, or a failure. Never throws, and bounds size and depth before
 * anything else reads the text.
 */
import type * as z from 'zod';
import { isRecord, parseJson } from '../values/json.ts';
import { eventTypes, executionEventFrameSchema } from './events.ts';
import { issuesOf } from './fields.ts';
import { hubFrameSchemas, type HubFrame } from './hub-frames.ts';
import { MAX_BATCHED_EVENTS, MAX_FRAME_IN_BYTES } from './limits.ts';
import { workerFrameSchemas, type WorkerFrame } from './worker-frames.ts';

export * from './hub-frames.ts';
export * from './worker-frames.ts';

/** Deeper frames are refused; valid ones are far below. */
export const MAX_FRAME_DEPTH = 64;

/** The problem of a text that is no frame, with the readable fields, so that the sender can be answered. */
export interface FrameFailure {
  ok: false;
  /** `unknown_type` must be ignored; the others are errors of the sender. */
  code: 'too_large' | 'too_deep' | 'not_json' | 'not_an_object' | 'unknown_type' | 'invalid_fields';
  /** For logs and for the sender; names the first bad field. */
  reason: string;
  type?: string;
  taskId?: string;
  generation?: number;
  /** All bad fields, with `invalid_fields`. */
  issues?: { field: string; detail: string }[];
}
export type FrameOutcome<F> = { ok: true; frame: F } | FrameFailure;

/** Reads a frame of a worker. An unreadable event is dropped; the rest of the frame stays. */
export function parseWorkerFrame(text: string): FrameOutcome<WorkerFrame> {
  const read = readObject(text);
  if (!read.ok) return read;
  const { body } = read;
  const outcome = validate<WorkerFrame>(body, workerFrameSchemas);
  if (outcome.ok || body.type !== 'task_progress') return outcome;
  return validate<WorkerFrame>(
    { ...body, execution_event: readableEvent(body.execution_event) },
    workerFrameSchemas,
  );
}

/** Reads a frame of a hub. */
export function parseHubFrame(text: string): FrameOutcome<HubFrame> {
  const read = readObject(text);
  return read.ok ? validate<HubFrame>(read.body, hubFrameSchemas) : read;
}

function validate<F>(body: Record<string, unknown>, schemas: Record<string, z.ZodType>): FrameOutcome<F> {
  const { type } = body;
  if (typeof type !== 'string') return refuse('invalid_fields', 'type: must be a string', body);
  const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined;
  if (!schema) return refuse('unknown_type', `unknown frame type ${JSON.stringify(type.slice(0, 64))}`, body);
  const parsed = schema.safeParse(body);
  if (parsed.success) return { ok: true, frame: parsed.data as F };
  const issues = issuesOf(parsed.error, 'frame');
  const first = issues[0] ?? { field: 'frame', detail: 'invalid' };
  return { ...refuse('invalid_fields', `${first.field}: ${first.detail}`, body), issues };
}

function refuse(code: FrameFailure['code'], reason: string, body: Record<string, unknown>): FrameFailure {
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
  if (deeperThan(text, MAX_FRAME_DEPTH)) {
    return { ok: false, code: 'too_deep', reason: `nested deeper than ${MAX_FRAME_DEPTH} levels` };
  }
  const body = parseJson(text);
  if (body === undefined) return { ok: false, code: 'not_json', reason: 'not JSON' };
  return isRecord(body)
    ? { ok: true, body }
    : { ok: false, code: 'not_an_object', reason: 'not a JSON object' };
}

/** Counts brackets outside of strings, so that the depth is known before recursive code runs. */
export function deeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) inString = !inString;
    else if (inString) {
      if (code === 0x5c) index += 1;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return false;
}

/**
 * Returns an event of any sidecar in readable form: an unknown type becomes `status`, null fields are dropped, unreadable fields
 * leave only the text. Anything else becomes undefined: a progress frame without an event still renews the lease.
 */
function readableEvent(event: unknown): unknown {
  if (!isRecord(event)) return undefined;
  const fields = Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null));
  const knownType = (eventTypes as readonly unknown[]).includes(fields.event_type);
  const { events } = fields;
  const core = {
    event_type: knownType ? fields.event_type : 'status',
    text: typeof fields.text === 'string' ? fields.text : '',
  };
  const whole = {
    ...fields,
    ...core,
    ...(Array.isArray(events) && {
      events: events
        .slice(0, MAX_BATCHED_EVENTS)
        .map(readableEvent)
        .filter((one) => one !== undefined),
    }),
  };
  return executionEventFrameSchema.safeParse(whole).success ? whole : core;
}
