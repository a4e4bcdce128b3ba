/**
 * Defines the schema of a task's result. The worker creates results; the hub and the dashboards read them. The public hub rejects a result
 * with fractions in its integer fields.
 */
import * as z from 'zod';

const terminationTexts = {
  final_answer: 'the model gave a final answer',
  exit_code: 'the command ended',
  max_iterations: 'the iteration limit was reached',
  repetition: 'the model repeated the same calls',
  stall: 'the model made no progress',
  nudge_exhausted: 'the model gave no usable answer',
  malformed_output: 'the answers of the model could not be parsed',
  timeout: 'the time limit was reached',
  budget_exhausted: 'the budget was exhausted',
  cancelled: 'the task was cancelled',
  context_exhausted: 'the conversation no longer fits into the window of the model',
  model_error: 'the model server failed',
  shutdown: 'the worker was stopped',
};
/** Reason why a run ended. If there are several, only the first is reported. */
export type TerminationReason = keyof typeof terminationTexts;
export const terminationReasons = Object.keys(terminationTexts) as TerminationReason[];
const terminationReasonSchema = z.enum(terminationReasons);

/** Returns the description of a termination reason. An unknown reason is returned unchanged. */
export function describeTermination(reason: string): string {
  const parsed = terminationReasonSchema.safeParse(reason);
  return parsed.success ? terminationTexts[parsed.data] : reason;
}

/** Returns a task's error for users, with a description of the termination reason. */
export function formatTaskError(error: string): string {
  const [, reason = '', rest = ''] =
    /^([a-z_]{1,40})( after \d{1,9} iterations?(?::.*)?)$/su.exec(error) ?? [];
  return reason === '' ? error : `${describeTermination(reason)}${rest}`;
}

export const verificationStatusSchema = z.enum([
  'verified',
  'partial_pass',
  'failed',
  'unverified',
  'execution_failed',
]);
export type VerificationStatus = z.output<typeof verificationStatusSchema>;

const evidenceTexts = {
  fail_to_pass: 'checks that failed before the task now pass',
  pass_to_pass:
    'no regression: the checks also passed before the task, so they do not show that the task is done',
};
/** Kind of evidence that passing checks give, in the terms of SWE-bench. */
export type Evidence = keyof typeof evidenceTexts;
export const evidenceSchema = z.enum(Object.keys(evidenceTexts) as Evidence[]);

type EvidenceSource = Pick<TaskResult, 'evidence' | 'check_changes' | 'verification_report'>;

/** Describes the evidence of a verified result; undefined for any other result. */
export function describeEvidence({
  evidence,
  check_changes: changes,
  verification_report: report,
}: EvidenceSource): string | undefined {
  if (evidence === undefined) return undefined;
  const checks = (report?.checks ?? []).flatMap(({ type, target, description }) => [
    description,
    target,
    `${type} ${target}`,
  ]);
  const count = (changes?.fixed ?? []).filter((name) => !checks.includes(name)).length;
  if (evidence === 'pass_to_pass' || count === 0) return evidenceTexts[evidence];
  return `${count} test${count === 1 ? '' : 's'} that failed before the task now pass${count === 1 ? 'es' : ''}`;
}

/** Returns whether a partial result has no passing check. Users see “not done” for such a result instead of “partial”. */
export const isNotDone = (result: { status: string; verification_status?: string | null }): boolean =>
  result.status === 'partial' &&
  (result.verification_status === 'failed' || result.verification_status === 'execution_failed');

/** Essence of a check's output: names of failures, and a text for models and users. */
export const checkEssenceSchema = z.object({
  /** Name of the program that ran the tests, such as `pytest`; `other` if the program is unknown. */
  runner: z.string(),
  /** Number of tests that pass, if the output has it. */
  passed: z.number().int().optional(),
  /** Number of tests that were skipped, if the output has it. */
  skipped: z.number().int().optional(),
  /** Names of passing tests. Used only for comparisons inside the worker and not part of results. */
  passing: z.array(z.string()).optional(),
  /** Entries of `failed` that are not tests but files that did not run to their end. */
  not_run: z.array(z.string()).optional(),
  failed: z.array(z.string()),
  /** Errors of compilers and linters, and other errors that prevented tests from running. */
  errors: z.array(z.string()),
  text: z.string(),
});
export type CheckEssence = z.output<typeof checkEssenceSchema>;

export const checkResultSchema = z.object({
  type: z.string(),
  target: z.string(),
  description: z.string(),
  status: z.enum(['pass', 'fail', 'error', 'timeout', 'skip']),
  output: z.string(),
  duration_ms: z.number().int(),
  /** Essence of the command's complete output, of which `output` may contain only the beginning and the end. */
  essence: checkEssenceSchema.optional(),
});
export type CheckResult = z.output<typeof checkResultSchema>;

export const verificationReportSchema = z.object({
  task_id: z.string(),
  run_number: z.number().int(),
  status: z.enum(['pass', 'fail', 'error', 'timeout', 'skip', 'auto_pass']),
  started_at: z.string(),
  duration_ms: z.number().int(),
  timeout_ms: z.number().int(),
  checks: z.array(checkResultSchema),
  /** Counts of checks. Must be an object, because the public hub's queue process crashes on any other value. */
  summary: z.object({
    total: z.number().int(),
    passed: z.number().int(),
    failed: z.number().int(),
    errors: z.number().int(),
    timed_out: z.number().int(),
  }),
  /** Whether the run could use build folders and caches of earlier runs. A run without them takes longer. */
  kept_caches: z.boolean().optional(),
  /** Paths that the run of the checks changed or created. Used only inside the worker and not part of results. */
  written: z.array(z.string()).optional(),
});
/** Report on one run of all checks. */
export type VerificationReport = z.output<typeof verificationReportSchema>;

export const fileChangeSchema = z.object({
  path: z.string(),
  status: z.enum(['added', 'modified', 'deleted', 'renamed']),
  additions: z.number().int(),
  deletions: z.number().int(),
});
export const changesSchema = z.object({
  base_commit: z.string().nullish(),
  head_commit: z.string().nullish(),
  branch: z.string().nullish(),
  /** Reason why there is no branch. In this case, only `patch` contains the work. */
  branch_omitted: z.string().optional(),
  files: z.array(fileChangeSchema),
  /** Unified diff with binary parts, at most `MAX_PATCH_BYTES`. If it does not fit, it is empty and `patch_omitted` is set. */
  patch: z.string(),
  patch_omitted: z.string().optional(),
  /** Whether secrets in the patch were masked. Such a patch cannot be applied. */
  patch_masked: z.boolean().optional(),
});
/** Changes of a run in its workspace, compared with the commit from which it began. */
export type Changes = z.output<typeof changesSchema>;

/** Complete payload for `POST /api/tasks` that requests the rest of a partial task. */
export const followUpSchema = z.looseObject({
  description: z.string(),
  repo: z.string().optional(),
  base_ref: z.string().optional(),
  subfolder: z.string().optional(),
  verification_steps: z.array(z.looseObject({ type: z.string() })).optional(),
  metadata: z.looseObject({ follow_up_of: z.string(), follow_up_depth: z.number().int() }),
});
export type FollowUp = z.output<typeof followUpSchema>;

export const checkChangesSchema = z.object({
  failed_before: z.array(z.string()),
  fixed: z.array(z.string()),
  broken: z.array(z.string()),
});
/** Comparison of the checks' outcomes on the base and in the last run. */
export type CheckComparison = z.output<typeof checkChangesSchema>;

export const modelUseSchema = z.object({
  /** Number of tokens in `tokens_in` that were not cached; estimated from the time in which the model read the prompt. */
  tokens_read: z.number().int(),
  /** Time spent waiting for a slot of the model server. */
  waiting_ms: z.number().int(),
  loading_ms: z.number().int(),
  reading_ms: z.number().int(),
  writing_ms: z.number().int(),
});
/** Time and tokens that the model needed for the answers of a task. */
export type ModelUseReport = z.output<typeof modelUseSchema>;

export const taskResultSchema = z.looseObject({
  status: z.enum(['success', 'partial', 'failed']),
  output: z.string(),
  model_used: z.string(),
  tokens_in: z.number().int(),
  tokens_out: z.number().int(),
  estimated_cost_usd: z.number(),
  /** Whether some token counts are estimates, because the model server did not report them. */
  tokens_estimated: z.boolean().optional(),
  execution_ms: z.number().int(),
  termination_reason: terminationReasonSchema,
  /** Details of a forced stop, for users: the exceeded budget with its limit and use, or the error. */
  termination_detail: z.string().optional(),
  iterations_used: z.number().int(),
  verification_status: verificationStatusSchema,
  verification_attempts: z.number().int(),
  changes: changesSchema,
  completed: z.array(z.string()),
  remaining: z.array(z.string()),
  follow_up: followUpSchema.optional(),
  /** Error in the form `<termination_reason> after N iterations: …`; set only if `status` is `failed`. */
  error: z.string().optional(),
  /** Names of parts that were omitted so that the frame fits. */
  omitted: z.array(z.string()).optional(),
  /** Folder of the repository in which the checks ran, if it was not the root. */
  subfolder: z.string().optional(),
  verification_report: verificationReportSchema.optional(),
  verification_history: z.array(verificationReportSchema).optional(),
  /** Whether all checks passed before the work and nothing was changed. Such a result has no follow-up. */
  nothing_to_do: z.boolean().optional(),
  /** Reason why commands of the task ran without a sandbox; missing if they ran in one. */
  unconfined: z.string().optional(),
  /** Reasons why passing checks do not prove the work, and other remarks on the checks; one sentence each. */
  verification_notes: z.array(z.string()).optional(),
  /** Kind of evidence that the passing checks give; set only for verified work. */
  evidence: evidenceSchema.optional(),
  /** Effect of the work on the checks: names of checks, and names of tests if the output has them. */
  check_changes: checkChangesSchema.optional(),
  model_use: modelUseSchema.optional(),
  /** Serialised plan of a planned workflow. */
  plan: z.string().optional(),
});
/** Result of a task, as sent in `task_complete.result` (`success`, `partial`) and returned by `OllamaExecutor.execute`. */
export type TaskResult = z.output<typeof taskResultSchema>;
