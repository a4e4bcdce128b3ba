/**
 * Defines the schemas of the frames that a hub sends, including those that only the embedded hub has: `drain`, `steer`, `approval_response`
 * and `identified.features`. Parsing is lenient, as in worker-frames.ts.
 */
import * as z from 'zod';
import { integerSchema, makeOptional, addDefault, taskIdSchema, unionOf } from './fields.ts';
import { taskSchema } from './task.ts';

const createFrameSchema = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });
const textSchema = z.string().max(20_000);
const flagSchema = addDefault(z.boolean(), () => false);

/** Features of a hub that the public hub lacks. A worker uses only those that the hub announced. */
export const hubFeaturesSchema = z.object({
  /** Set if the hub takes `capacity`, `models` and labels into account when it assigns tasks. */
  capacity: flagSchema,
  /** Set if the hub answers `approval_request`. */
  approval: flagSchema,
  /** Set if the hub sends `steer`. */
  steer: flagSchema,
  /** Set if the hub sends `drain`. */
  drain: flagSchema,
  /** Set if the hub accepts a `result` in `task_failed`. */
  failed_result: flagSchema,
  /** Set if the hub accepts `worker_status`. */
  worker_status: flagSchema,
  /** Set if the hub accepts `used` in events and at the end of a task. */
  used: flagSchema,
  /** Set if the hub accepts batches of events (`execution_event.events`). */
  event_batch: flagSchema,
  /** Set if the hub stores `execution_event.details`, which it returns only in a request for a single event. */
  event_details: flagSchema,
  limits: makeOptional(
    z.object({
      framesPerMinute: makeOptional(z.number().positive()),
      maxFrameBytes: makeOptional(integerSchema.positive()),
    }),
  ),
});
export type HubFeatures = z.output<typeof hubFeaturesSchema>;

export const hubFrameSchemas = {
  identified: createFrameSchema('identified', {
    agent_id: makeOptional(z.string()),
    features: makeOptional(hubFeaturesSchema),
  }),
  task_assign: taskSchema.extend({ type: z.literal('task_assign') }),
  task_ack: createFrameSchema('task_ack', {
    task_id: taskIdSchema,
    /** Status of the task: `accepted`, `complete`, `retried`, `dead_letter`, or `failed`. */
    status: makeOptional(z.string().max(64)),
  }),
  task_continue: createFrameSchema('task_continue', {
    task_id: taskIdSchema,
    generation: makeOptional(integerSchema),
  }),
  task_reassign: createFrameSchema('task_reassign', { task_id: taskIdSchema }),
  task_cancelled: createFrameSchema('task_cancelled', {
    task_id: taskIdSchema,
    reason: makeOptional(textSchema),
  }),
  state_report_ack: createFrameSchema('state_report_ack', {
    task_id: taskIdSchema,
    action: z.enum(['continue', 'abort']),
    generation: makeOptional(integerSchema),
  }),
  restart_sidecar: createFrameSchema('restart_sidecar', { reason: makeOptional(textSchema) }),
  /** Sent when a worker was removed from the hub's register. A worker ignores the frame unless `agent_id` is its own. */
  agent_left: createFrameSchema('agent_left', { agent_id: makeOptional(z.string()) }),
  /** Sent when the hub has forwarded a message. */
  message_sent: createFrameSchema('message_sent', { id: makeOptional(z.string()) }),
  /** Message of another worker, or of this worker itself: the hub also sends it its own messages, on the connection that receives tasks. */
  message: createFrameSchema('message', { from: makeOptional(z.string()) }),
  pong: createFrameSchema('pong', { timestamp: makeOptional(z.number()) }),
  rate_limit_warning: createFrameSchema('rate_limit_warning', {
    remaining: makeOptional(z.number()),
    capacity: makeOptional(z.number()),
    tier: makeOptional(z.string()),
  }),
  rate_limited: createFrameSchema('rate_limited', {
    retry_after_ms: makeOptional(z.number()),
    tier: makeOptional(z.string()),
  }),
  error: createFrameSchema('error', {
    error: z.string().max(20_000),
    /** Task of the refused frame; set only by the embedded hub. The public hub's refusals are matched to frames by their order. */
    task_id: makeOptional(taskIdSchema),
    /** Type of the refused frame, if the error is `validation_failed`. */
    message_type: makeOptional(z.string()),
    errors: makeOptional(z.array(z.looseObject({})).max(1000)),
  }),
  /**
   * Answer to `approval_request`; only from the embedded hub. `text` is the correction if the decision is `corrected`, otherwise a note.
   */
  approval_response: createFrameSchema('approval_response', {
    task_id: taskIdSchema,
    approval_id: z.string().min(1).max(256),
    decision: z.enum(['accepted', 'rejected', 'corrected']),
    text: makeOptional(textSchema),
  }),
  /** Text of a user for a running task; only from the embedded hub. */
  steer: createFrameSchema('steer', { task_id: taskIdSchema, text: textSchema }),
  /** Announces that the hub assigns no new tasks for now; only from the embedded hub. The worker finishes its tasks and stays connected. */
  drain: createFrameSchema('drain', { reason: makeOptional(textSchema) }),
} as const;

/** Types of broadcasts of the public hub that a worker ignores. */
export const ignoredHubFrameTypes: readonly string[] = [
  'agent_joined',
  'status_changed',
  'room_message',
  'channel_message',
];

/** Schema of all frames that a worker handles. */
export const hubFrameSchema = unionOf(hubFrameSchemas);
/** A hub's frame after parsing. */
export type HubFrame = z.output<typeof hubFrameSchema>;
/** A hub's frame before parsing, in which optional fields may be missing. */
export type HubFrameInput = z.input<typeof hubFrameSchema>;
