/**
 * Frames that a hub sends, the embedded hub's additions among them: `drain`, `steer`,
 * `approval_response` and `identified.features`. Reading is lenient, as in worker-frames.ts.
 */
import * as z from 'zod';
import { integer, optional, orElse, taskId, unionOf } from './fields.ts';
import { taskSchema } from './task.ts';

const frame = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });
const text = z.string().max(20_000);
const flag = orElse(z.boolean(), () => false);

/** Abilities of a hub beyond the public one's; a worker uses only announced ones. */
export const hubFeaturesSchema = z.object({
  /** Reads `capacity`, `models` and labels when it assigns. */
  capacity: flag,
  /** Answers `approval_request`. */
  approval: flag,
  /** Sends `steer`. */
  steer: flag,
  /** Sends `drain`. */
  drain: flag,
  /** Reads `result` in `task_failed`. */
  failed_result: flag,
  /** Reads `worker_status`. */
  worker_status: flag,
  /** Reads `used` in events and at the end of a task. */
  used: flag,
  /** Reads `execution_event.events`. */
  event_batch: flag,
  /** Stores `execution_event.details` and gives them out with a single event only. */
  event_details: flag,
  limits: optional(
    z.object({
      framesPerMinute: optional(z.number().positive()),
      maxFrameBytes: optional(integer.positive()),
    }),
  ),
});
export type HubFeatures = z.output<typeof hubFeaturesSchema>;

export const hubFrameSchemas = {
  identified: frame('identified', {
    agent_id: optional(z.string()),
    features: optional(hubFeaturesSchema),
  }),
  task_assign: taskSchema.extend({ type: z.literal('task_assign') }),
  task_ack: frame('task_ack', {
    task_id: taskId,
    /** `accepted`, `complete`, `retried`, `dead_letter`, `failed`. */
    status: optional(z.string().max(64)),
  }),
  task_continue: frame('task_continue', {
    task_id: taskId,
    generation: optional(integer),
  }),
  task_reassign: frame('task_reassign', { task_id: taskId }),
  task_cancelled: frame('task_cancelled', { task_id: taskId, reason: optional(text) }),
  state_report_ack: frame('state_report_ack', {
    task_id: taskId,
    action: z.enum(['continue', 'abort']),
    generation: optional(integer),
  }),
  restart_sidecar: frame('restart_sidecar', { reason: optional(text) }),
  /** An agent left the hub's register; relevant only if it is this worker itself. */
  agent_left: frame('agent_left', { agent_id: optional(z.string()) }),
  /** The hub has passed a message on. */
  message_sent: frame('message_sent', { id: optional(z.string()) }),
  /** From another agent, or from this worker itself: its own message returns on the connection that gets tasks. */
  message: frame('message', { from: optional(z.string()) }),
  pong: frame('pong', { timestamp: optional(z.number()) }),
  rate_limit_warning: frame('rate_limit_warning', {
    remaining: optional(z.number()),
    capacity: optional(z.number()),
    tier: optional(z.string()),
  }),
  rate_limited: frame('rate_limited', {
    retry_after_ms: optional(z.number()),
    tier: optional(z.string()),
  }),
  error: frame('error', {
    error: z.string().max(20_000),
    /** Only from the embedded hub; the public one leaves a refusal to be matched by order. */
    task_id: optional(taskId),
    /** With `validation_failed`: the type of the refused frame. */
    message_type: optional(z.string()),
    errors: optional(z.array(z.looseObject({})).max(1000)),
  }),
  /** Addition: the answer to `approval_request`. `text` is the correction with `corrected`, a note otherwise. */
  approval_response: frame('approval_response', {
    task_id: taskId,
    approval_id: z.string().min(1).max(256),
    decision: z.enum(['accepted', 'rejected', 'corrected']),
    text: optional(text),
  }),
  /** Addition: a user's text for a running task. */
  steer: frame('steer', { task_id: taskId, text }),
  /** Addition: the hub gives no new task for now; the worker finishes what runs and stays connected. */
  drain: frame('drain', { reason: optional(text) }),
} as const;

/** Broadcasts of the public hub that a worker ignores. */
export const ignoredHubFrameTypes: readonly string[] = [
  'agent_joined',
  'status_changed',
  'room_message',
  'channel_message',
];

/** Every frame that a worker acts on. */
export const hubFrameSchema = unionOf(hubFrameSchemas);
/** A hub's frame as the worker reads it. */
export type HubFrame = z.output<typeof hubFrameSchema>;
/** A hub's frame as it is written: optional fields may be left out. */
export type HubFrameInput = z.input<typeof hubFrameSchema>;
