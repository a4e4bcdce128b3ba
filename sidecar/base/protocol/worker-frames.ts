/**
 * Frames that a worker sends. Reading is lenient: unknown fields are dropped, null is
 * the same as missing. The public hub checks types and lengths the same way, so what passes here passes there.
 */
import * as z from 'zod';
import { executionEventFrameSchema, usedSchema } from './events.ts';
import { integer, limited, optional, taskId, unionOf } from './fields.ts';

const version = optional(integer);
const frame = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), protocol_version: version, ...shape });
const rawObject = z.record(z.string(), z.unknown());

const models = z.array(z.string().max(256)).max(1024);
const measure = optional(z.number());

export const approvalKinds = ['summary', 'question', 'command'] as const;

export const workerFrameSchemas = {
  identify: frame('identify', {
    agent_id: limited('agent_id').min(1),
    token: limited('token'),
    name: optional(limited('name')),
    status: optional(limited('status')),
    capabilities: optional(z.array(z.string().max(256)).max(256)),
    client_type: optional(z.string().max(64)),
    ollama_url: optional(limited('ollama_url')),
    /** Tasks that the worker runs at the same time. */
    capacity: optional(integer.positive()),
    /** Models that are installed. */
    models: optional(models),
    version: optional(z.string().max(64)),
    /** How commands are confined, such as `bubblewrap` or `off`. */
    sandbox: optional(z.string().max(256)),
  }),
  task_accepted: frame('task_accepted', { task_id: taskId }),
  task_progress: frame('task_progress', {
    task_id: taskId,
    progress: optional(integer),
    execution_event: optional(executionEventFrameSchema),
  }),
  /** `result` is any object; `taskResultSchema` describes that of this worker. */
  task_complete: frame('task_complete', {
    task_id: taskId,
    generation: integer,
    result: optional(rawObject),
    tokens_used: optional(integer),
    /** Only to hubs that announced `used`. */
    used: optional(usedSchema),
    verification_report: optional(rawObject),
    verification_history: optional(z.array(rawObject).max(1000)),
  }),
  task_failed: frame('task_failed', {
    task_id: taskId,
    generation: integer,
    error: optional(limited('error')),
    reason: optional(limited('reason')),
    /** The whole result, for hubs that announced `failed_result`. */
    result: optional(rawObject),
    /** Only to hubs that announced `used`. */
    used: optional(usedSchema),
  }),
  task_recovering: frame('task_recovering', {
    task_id: taskId,
    generation: optional(integer),
  }),
  state_report: frame('state_report', {
    task_id: taskId,
    status: limited('status'),
    generation: integer,
    assigned_at: optional(z.union([z.number(), z.string().max(64)])),
  }),
  resource_report: frame('resource_report', {
    cpu_percent: measure,
    ram_used_bytes: measure,
    ram_total_bytes: measure,
    vram_used_bytes: measure,
    vram_total_bytes: measure,
  }),
  /** Only to hubs that announced `worker_status`: whether the worker can run new tasks, apart from its capacity, and its problems. */
  worker_status: frame('worker_status', {
    /** The reason for taking no tasks, for users; missing if the worker takes them. */
    not_ready: optional(limited('not_ready')),
    /** The reason for taking only tasks that name a model; missing if the worker takes all. */
    needs_model: optional(limited('needs_model')),
    /** A problem that prevents no task, such as one of several model servers being down; missing if there is none. */
    notice: optional(limited('notice')),
    /** The models that can be used now, instead of those of `identify`; missing while no model server has reported. */
    models: optional(models),
  }),
  ping: frame('ping', {}),
  /** Only to hubs that announced `approval`. */
  approval_request: frame('approval_request', {
    task_id: taskId,
    approval_id: z.string().min(1).max(256),
    kind: z.enum(approvalKinds),
    summary: z.string().max(20_000),
  }),
} as const;

/** Every frame that a worker may send. */
export const workerFrameSchema = unionOf(workerFrameSchemas);
/** A worker's frame as the hub reads it. */
export type WorkerFrame = z.output<typeof workerFrameSchema>;
/** A worker's frame as it is written: optional fields may be left out. */
export type WorkerFrameInput = z.input<typeof workerFrameSchema>;
export type TerminalFrameInput = Extract<WorkerFrameInput, { type: 'task_complete' | 'task_failed' }>;
