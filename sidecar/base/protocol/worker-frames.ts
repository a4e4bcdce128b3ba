/**
 * Defines the schemas of the frames that a worker sends. Parsing is lenient: unknown fields are dropped, and null counts as missing. The
 * public hub checks types and lengths the same way.
 */
import * as z from 'zod';
import { executionEventFrameSchema, usageSchema } from './events.ts';
import { integerSchema, createFieldSchema, makeOptional, taskIdSchema, unionOf } from './fields.ts';

const versionSchema = makeOptional(integerSchema);
const createFrameSchema = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), protocol_version: versionSchema, ...shape });
const rawObjectSchema = z.record(z.string(), z.unknown());

const modelsSchema = z.array(z.string().max(256)).max(1024);
const measureSchema = makeOptional(z.number());

export const approvalKinds = ['summary', 'question', 'command'] as const;

export const workerFrameSchemas = {
  identify: createFrameSchema('identify', {
    agent_id: createFieldSchema('agent_id').min(1),
    token: createFieldSchema('token'),
    name: makeOptional(createFieldSchema('name')),
    status: makeOptional(createFieldSchema('status')),
    capabilities: makeOptional(z.array(z.string().max(256)).max(256)),
    client_type: makeOptional(z.string().max(64)),
    ollama_url: makeOptional(createFieldSchema('ollama_url')),
    /** Maximum number of tasks that the worker runs at the same time. */
    capacity: makeOptional(integerSchema.positive()),
    /** Models that are installed on the worker's model servers. */
    models: makeOptional(modelsSchema),
    version: makeOptional(z.string().max(64)),
    /** Kind of confinement of commands, such as `bubblewrap` or `off`. */
    sandbox: makeOptional(z.string().max(256)),
  }),
  task_accepted: createFrameSchema('task_accepted', { task_id: taskIdSchema }),
  task_progress: createFrameSchema('task_progress', {
    task_id: taskIdSchema,
    progress: makeOptional(integerSchema),
    execution_event: makeOptional(executionEventFrameSchema),
  }),
  /** End of a successful or partial task. `result` may be any object; `taskResultSchema` describes results of this program's workers. */
  task_complete: createFrameSchema('task_complete', {
    task_id: taskIdSchema,
    generation: integerSchema,
    result: makeOptional(rawObjectSchema),
    tokens_used: makeOptional(integerSchema),
    /** Totals of the ledger for the task; sent only to hubs that announced `used`. */
    used: makeOptional(usageSchema),
    verification_report: makeOptional(rawObjectSchema),
    verification_history: makeOptional(z.array(rawObjectSchema).max(1000)),
  }),
  task_failed: createFrameSchema('task_failed', {
    task_id: taskIdSchema,
    generation: integerSchema,
    error: makeOptional(createFieldSchema('error')),
    reason: makeOptional(createFieldSchema('reason')),
    /** The complete result; sent only to hubs that announced `failed_result`. */
    result: makeOptional(rawObjectSchema),
    /** Totals of the ledger for the task; sent only to hubs that announced `used`. */
    used: makeOptional(usageSchema),
  }),
  task_recovering: createFrameSchema('task_recovering', {
    task_id: taskIdSchema,
    generation: makeOptional(integerSchema),
  }),
  state_report: createFrameSchema('state_report', {
    task_id: taskIdSchema,
    status: createFieldSchema('status'),
    generation: integerSchema,
    assigned_at: makeOptional(z.union([z.number(), z.string().max(64)])),
  }),
  resource_report: createFrameSchema('resource_report', {
    cpu_percent: measureSchema,
    ram_used_bytes: measureSchema,
    ram_total_bytes: measureSchema,
    vram_used_bytes: measureSchema,
    vram_total_bytes: measureSchema,
  }),
  /**
   * Reports problems of a worker, and whether it can run new tasks (regardless of its capacity). Sent only to hubs that announced
   * `worker_status`.
   */
  worker_status: createFrameSchema('worker_status', {
    /** Reason why the worker accepts no tasks, for users; missing if it accepts tasks. */
    not_ready: makeOptional(createFieldSchema('not_ready')),
    /** Reason why the worker accepts only tasks that name a model; missing if it accepts all tasks. */
    needs_model: makeOptional(createFieldSchema('needs_model')),
    /** Problem that does not prevent any task, for example one of several model servers is down; missing if there is none. */
    notice: makeOptional(createFieldSchema('notice')),
    /** Models that can be used now, in place of those in `identify`; missing until a model server has reported its models. */
    models: makeOptional(modelsSchema),
  }),
  ping: createFrameSchema('ping', {}),
  /** Asks a user for a decision; sent only to hubs that announced `approval`. */
  approval_request: createFrameSchema('approval_request', {
    task_id: taskIdSchema,
    approval_id: z.string().min(1).max(256),
    kind: z.enum(approvalKinds),
    summary: z.string().max(20_000),
  }),
} as const;

/** Schema of all frames that a worker may send. */
export const workerFrameSchema = unionOf(workerFrameSchemas);
/** A worker's frame after parsing. */
export type WorkerFrame = z.output<typeof workerFrameSchema>;
/** A worker's frame before parsing, in which optional fields may be missing. */
export type WorkerFrameInput = z.input<typeof workerFrameSchema>;
export type TerminalFrameInput = Extract<WorkerFrameInput, { type: 'task_complete' | 'task_failed' }>;
