/** The schema of a submission, and its conversion to a row. */
import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { MAX_FRAME_IN_BYTES } from '../../base/protocol/limits.ts';
import { taskContentSchema, formatTaskTitle } from '../../base/protocol/task.ts';
import { removeCredentials } from '../../base/addresses/credentials.ts';
import type { NewTaskRow } from '../storage/tables.ts';
import { requirementKeyOf } from './requirements.ts';

/**
 * Maximum size of a task. It leaves space in `task_assign` for the hub's fields; a longer frame would close the
 * worker's connection.
 */
const MAX_TASK_BYTES = MAX_FRAME_IN_BYTES - 1024;

export const idempotencyKeySchema = z
  .string()
  .min(1)
  .max(256)
  .describe(
    'A submission with a repeated key returns the task of the first submission. The header Idempotency-Key can also contain the key',
  );

/** Fields of a submission that only the hub reads. */
export const hubFields = {
  priority: z
    .number()
    .int()
    .min(-1000)
    .max(1000)
    .default(0)
    .describe('Tasks with a higher number start first'),
  labels: z.array(z.string().min(1).max(256)).max(64).default([]).describe('Labels that a worker must have'),
  model: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Model that a worker must have; same as routing_decision.selected_model'),
  agent_id: z.string().min(1).max(128).optional().describe('The only worker that may run the task'),
  delay_ms: z
    .number()
    .int()
    .min(0)
    .max(31_536_000_000)
    .optional()
    .describe('Delay of the earliest start, in milliseconds'),
  not_before: z.number().int().min(0).optional().describe('Earliest start, in milliseconds since the epoch'),
  max_attempts: z
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('Failed attempts after which the task is a dead letter'),
  idempotency_key: idempotencyKeySchema.optional(),
};

/** The body of `POST /api/tasks`: a task's content, stored unchanged, and the hub's own fields. */
export const submissionSchema = taskContentSchema
  .extend({
    description: z.string().trim().min(1).max(200_000).describe('Instructions for the model'),
    ...hubFields,
  })
  .loose()
  .superRefine((submission, context) => {
    const sizeBytes = Buffer.byteLength(JSON.stringify(submission));
    if (sizeBytes <= MAX_TASK_BYTES) return;
    const message = `the task has ${sizeBytes} bytes; a worker accepts at most ${MAX_TASK_BYTES}`;
    context.addIssue(message);
  });
export type Submission = z.output<typeof submissionSchema>;

export interface SubmissionContext {
  now: number;
  maxAttempts: number;
  submittedBy: string;
  followUpOf?: string;
}

/** Returns the row of a new task. Equal inputs have the same `submission_hash` but different ids. */
export function createTaskRow(submission: Submission, context: SubmissionContext): NewTaskRow {
  const {
    priority,
    labels,
    model,
    agent_id: agentId,
    delay_ms: delayMs,
    not_before: notBefore,
    ...rest
  } = submission;
  const { max_attempts: maxAttempts, idempotency_key: idempotencyKey, ...content } = rest;
  const requestedModel = model ?? content.routing_decision?.selected_model;
  if (model) content.routing_decision = { ...content.routing_decision, selected_model: model } as never;
  const { now } = context;
  return {
    id: createTaskId(now),
    status: 'queued',
    priority,
    not_before: Math.max(notBefore ?? 0, delayMs ? now + delayMs : 0),
    requirement: requirementKeyOf({
      labels,
      ...(requestedModel && { model: requestedModel }),
      ...(agentId && { agentId }),
    }),
    content: JSON.stringify(content),
    title: formatTaskTitle(submission),
    repo: content.repo ? removeCredentials(content.repo) : null,
    generation: 0,
    failures: 0,
    max_attempts: maxAttempts ?? context.maxAttempts,
    reclaims: 0,
    preferred_until: 0,
    lease_until: 0,
    created_at: now,
    updated_at: now,
    has_follow_up: 0,
    follow_up_of: context.followUpOf ?? content.follow_up_of ?? null,
    idempotency_key: idempotencyKey ?? null,
    submission_hash: createHash('sha256').update(JSON.stringify(submission)).digest('hex'),
    submitted_by: context.submittedBy,
  };
}

/** Returns an id that sorts by time and is safe in branch names and paths. */
function createTaskId(now: number): string {
  return `task-${now.toString(36)}-${randomBytes(5).toString('hex')}`;
}
