/**
 * Defines the schema of a task, as a hub assigns it and a user submits it. The whole program uses the field names of the frames. Parsing is
 * lenient: a field that is null or missing has its default; only the id is required.
 */
import * as z from 'zod';
import { makeOptional, addDefault } from './fields.ts';

/** A check to run on the finished workspace. `target` is a path, a command, or `auto`, depending on the type. */
export const verificationStepSchema = z.object({
  type: z.string().min(1).max(64),
  target: addDefault(z.string().max(4096), () => ''),
  description: makeOptional(z.string().max(2000)),
  /** Text that the file must contain, for checks of the type `file_contains`. May also be given as `path::text` in `target`. */
  contains: makeOptional(z.string().max(4096)),
});
export type VerificationStep = z.output<typeof verificationStepSchema>;

/** Spending limits of a task. If several are given, all of them apply. */
export const budgetSchema = z.object({
  max_tokens: makeOptional(z.number().nonnegative()),
  max_usd: makeOptional(z.number().nonnegative()),
  max_gpu_seconds: makeOptional(z.number().nonnegative()),
});
export type Budget = z.output<typeof budgetSchema>;

export const fileHintSchema = z.union([
  z.string().max(4096),
  z.object({ path: z.string().max(4096), reason: makeOptional(z.string().max(2000)) }),
]);
export type FileHint = z.output<typeof fileHintSchema>;

export const successCriterionSchema = z.union([
  z.string().max(4096),
  z.object({ description: z.string().max(4096) }),
]);

export const routingDecisionSchema = z.object({
  target_type: makeOptional(z.string().max(64)),
  selected_endpoint: makeOptional(z.string().max(512)),
  selected_model: makeOptional(z.string().max(256)),
  agentic: makeOptional(z.boolean()),
});
export type RoutingDecision = z.output<typeof routingDecisionSchema>;

/** Tests and settings that a task may change: all, none, or the paths that match the globs. */
export const mayChangeChecksSchema = z.union([z.boolean(), z.array(z.string().min(1).max(512)).max(100)]);
export type MayChangeChecks = z.output<typeof mayChangeChecksSchema>;

/** Request of a user or a program: the fields that `task_assign` and a submission have in common. */
export const taskContentSchema = z.object({
  description: addDefault(z.string().max(200_000), () => ''),
  metadata: addDefault(z.record(z.string(), z.unknown()), () => ({})),
  repo: makeOptional(z.string().max(4096)),
  branch: makeOptional(z.string().max(512)),
  base_ref: makeOptional(z.string().max(512)),
  /**
   * Folder of the repository in which relative paths begin and checks run. If a hub drops this field, the same value in `metadata` is used.
   */
  subfolder: makeOptional(z.string().max(1024)),
  file_hints: addDefault(z.array(fileHintSchema).max(1000), () => []),
  success_criteria: addDefault(z.array(successCriterionSchema).max(1000), () => []),
  verification_steps: addDefault(z.array(verificationStepSchema).max(200), () => []),
  complexity: makeOptional(z.looseObject({ effective_tier: makeOptional(z.string().max(64)) })),
  routing_decision: makeOptional(routingDecisionSchema),
  skip_verification: addDefault(z.boolean(), () => false),
  may_change_checks: addDefault(mayChangeChecksSchema, () => false),
  verification_timeout_ms: makeOptional(z.number().int().positive()),
  max_verification_retries: makeOptional(z.number().int().nonnegative()),
  agentic: makeOptional(z.boolean()),
  budget: makeOptional(budgetSchema),
  workflow: makeOptional(z.string().max(64)),
  follow_up_of: makeOptional(z.string().max(256)),
});
export type TaskContent = z.output<typeof taskContentSchema>;

/** A task with the fields that identify it, as a worker runs it. */
export const taskSchema = taskContentSchema.extend({
  task_id: z.string().min(1).max(256),
  generation: addDefault(z.number().int(), () => 0),
  assigned_at: makeOptional(z.union([z.number(), z.string()])),
  /** Older name of `agentic` in tasks of the public hub. */
  _agentic: makeOptional(z.boolean()),
  _agentic_max_iterations: makeOptional(z.number().int().positive()),
});
/** A validated task with all defaults. */
export type Task = z.output<typeof taskSchema>;
/** A task before parsing, in which all fields except the id may be missing. */
export type TaskInput = z.input<typeof taskSchema>;

/** Copies the permission to change checks from the metadata to the task, for hubs that drop the field. */
export function applyMetadataPermission(task: Task): Task {
  const parsed = mayChangeChecksSchema.safeParse(task.metadata.may_change_checks);
  return parsed.success && task.may_change_checks === false
    ? { ...task, may_change_checks: parsed.data }
    : task;
}

/** Returns the text of a success criterion of either form. */
export const criterionTextOf = (criterion: z.output<typeof successCriterionSchema>): string =>
  typeof criterion === 'string' ? criterion : criterion.description;

/** Returns a task's title: the first line of its description, at most 160 characters. A follow-up has the title of the first task. */
export function formatTaskTitle({ description, metadata }: Pick<Task, 'description' | 'metadata'>): string {
  const { follow_up_goal: goal, follow_up_depth: depth } = metadata;
  if (typeof goal !== 'string' || typeof depth !== 'number') return firstLineOf(description);
  return firstLineOf(`↳ ${depth}: ${firstLineOf(goal)}`);
}

function firstLineOf(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  const plain = line.trim().replace(/^#+\s*/, '');
  return Array.from(plain).slice(0, 160).join('');
}
