/**
 * Schemas of the frames that a hub sends, including the embedded hub's additions: `drain`, `steer`, `approval_response` and
 * `identified.features`. Parsing is lenient, as in worker-frames.ts.
 */
import * as z from 'zod';
import { integer, optional, addDefault, taskId, unionOf } from './fields.ts';
import { taskSchema } from './task.ts';

const createFrameSchema = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });
const textSchema = z.string().max(20_000);
const flagSchema = addDefault(z.boolean(), () => false);

/** Abilities of a hub beyond the public one's; a worker uses only announced ones. */
export const hubFeaturesSchema = z.object({
  /** Reads `capacity`, `models` and labels when it assigns. */
  capacity: flagSchema,
  /** Answers `approval_request`. */
  approval: flagSchema,
  /** Sends `steer`. */
  steer: flagSchema,
  /** Sends `drain`. */
  drain: flagSchema,
  /** Reads `result` in `task_failed`. */
  failed_result: flagSchema,
  /** Reads `worker_status`. */
  worker_status: flagSchema,
  /** Reads `used` in events and at the end of a task. */
  used: flagSchema,
  /** Reads `execution_event.events`. */
  event_batch: flagSchema,
  /** Stores `execution_event.details` and returns them only with a single event. */
  event_details: flagSchema,
  limits: optional(
    z.object({
      framesPerMinute: optional(z.number().positive()),
      maxFrameBytes: optional(integer.positive()),
    }),
  ),
});
export type HubFeatures = z.output<typeof hubFeaturesSchema>;

export const hubFrameSchemas = {
  identified: createFrameSchema('identified', {
    agent_id: optional(z.string()),
    features: optional(hubFeaturesSchema),
  }),
  task_assign: taskSchema.extend({ type: z.literal('task_assign') }),
  task_ack: createFrameSchema('task_ack', {
    task_id: taskId,
    /** `accepted`, `complete`, `retried`, `dead_letter`, `failed`. */
    status: optional(z.string().max(64)),
  }),
  task_continue: createFrameSchema('task_continue', {
    task_id: taskId,
    generation: optional(integer),
  }),
  task_reassign: createFrameSchema('task_reassign', { task_id: taskId }),
  task_cancelled: createFrameSchema('task_cancelled', { task_id: taskId, reason: optional(textSchema) }),
  state_report_ack: createFrameSchema('state_report_ack', {
    task_id: taskId,
    action: z.enum(['continue', 'abort']),
    generation: optional(integer),
  }),
  restart_sidecar: createFrameSchema('restart_sidecar', { reason: optional(textSchema) }),
  /** An agent left the hub's register. The worker ignores the frame unless the agent is this worker itself. */
  agent_left: createFrameSchema('agent_left', { agent_id: optional(z.string()) }),
  /** The hub has forwarded a message. */
  message_sent: createFrameSchema('message_sent', { id: optional(z.string()) }),
  /** A message of another agent, or of this worker: its own message returns on the connection that receives tasks. */
  message: createFrameSchema('message', { from: optional(z.string()) }),
  pong: createFrameSchema('pong', { timestamp: optional(z.number()) }),
  rate_limit_warning: createFrameSchema('rate_limit_warning', {
    remaining: optional(z.number()),
    capacity: optional(z.number()),
    tier: optional(z.string()),
  }),
  rate_limited: createFrameSchema('rate_limited', {
    retry_after_ms: optional(z.number()),
    tier: optional(z.string()),
  }),
  error: createFrameSchema('error', {
    error: z.string().max(20_000),
    /** Only from the embedded hub. A refusal of the public hub is matched to its frame by order. */
    task_id: optional(taskId),
    /** With `validation_failed`: the type of the refused frame. */
    message_type: optional(z.string()),
    errors: optional(z.array(z.looseObject({})).max(1000)),
  }),
  /** Addition: the answer to `approval_request`. `text` is the correction with `corrected`, a note otherwise. */
  approval_response: createFrameSchema('approval_response', {
    task_id: taskId,
    approval_id: z.string().min(1).max(256),
    decision: z.enum(['accepted', 'rejected', 'corrected']),
    text: optional(textSchema),
  }),
  /** Addition: a user's text for a running task. */
  steer: createFrameSchema('steer', { task_id: taskId, text: textSchema }),
  /** Addition: the hub assigns no new task for now. The worker finishes its tasks and stays connected. */
  drain: createFrameSchema('drain', { reason: optional(textSchema) }),
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
