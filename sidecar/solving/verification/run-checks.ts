/**
 * Runs the checks of a task one after another under one time limit. Each step gets one result, even if the time is used up or the task is
 * stopped.
 */
import type { Clock, ExecutionEnvironment, OnProgress } from '../../base/ports.ts';
import { essenceOf } from '../../parsing/test-output/essence.ts';
import { summaryOf } from '../../parsing/test-output/summary.ts';
import type { Essence } from '../../parsing/test-output/types.ts';
import { shortenMiddle } from '../../base/values/shortening.ts';
import type { CheckResult, VerificationReport } from '../../base/protocol/result.ts';
import type { VerificationStep } from '../../base/protocol/task.ts';
import { formatCheckName } from './correction.ts';
import { runCheck, type CheckContext, type Finding } from './checks.ts';
import { HIDDEN_FAILURE_TEXT, splitPrintedText } from './printed-text.ts';

/** Maximum length of a check's output in a report. The beginning names the command, the end the failures. */
const MAX_OUTPUT_CHARS = 6_000;
const HEAD_CHARS = 1_500;

export interface RunChecksOptions {
  env: ExecutionEnvironment;
  workspace: CheckContext['workspace'];
  /** Folder that the outputs show in place of the folder of the checks. */
  shownAs?: string;
  /** Time limit for all checks together. */
  timeoutMs: number;
  taskId: string;
  /** Number of the run, from 1. Each corrective round runs the checks again under the next number. */
  runNumber: number;
  clock: Clock;
  signal?: AbortSignal;
  /** Called with a `verification` event at the beginning and at the end of each check. */
  onEvent?: OnProgress;
  /** Called with each finished check and the essence of its whole output; the report contains only a summary. */
  onCheck?: (check: CheckResult, essence: Essence | undefined) => void;
}

/** Runs all steps. Never rejects; without steps the status is `auto_pass`. */
export async function runChecks(
  steps: readonly VerificationStep[],
  options: RunChecksOptions,
): Promise<VerificationReport> {
  const { clock, timeoutMs } = options;
  const startedAt = new Date(clock.now()).toISOString();
  const startMs = clock.monotonicMs();
  const checks: CheckResult[] = [];
  for (const [index, step] of steps.entries()) {
    const leftMs = timeoutMs - (clock.monotonicMs() - startMs);
    checks.push(await reportCheck(step, `Check ${index + 1}/${steps.length}`, leftMs, options));
  }
  return reportOf(checks, {
    task_id: options.taskId,
    run_number: options.runNumber,
    started_at: startedAt,
    duration_ms: Math.round(clock.monotonicMs() - startMs),
    timeout_ms: timeoutMs,
  });
}

/** Builds the report of finished checks. */
export function reportOf(
  checks: CheckResult[],
  facts: Omit<VerificationReport, 'status' | 'checks' | 'summary'>,
): VerificationReport {
  const count = (wanted: CheckResult['status']): number =>
    checks.filter(({ status }) => status === wanted).length;
  const [passed, skipped] = [count('pass'), count('skip')];
  const worst = (['fail', 'timeout', 'error'] as const).find((status) => count(status) > 0);
  const other = skipped === 0 ? 'pass' : passed > 0 ? 'error' : 'skip';
  return {
    ...facts,
    status: checks.length === 0 ? 'auto_pass' : (worst ?? other),
    checks,
    summary: {
      total: checks.length,
      passed,
      failed: count('fail'),
      errors: count('error'),
      timed_out: count('timeout'),
    },
  };
}

async function reportCheck(
  step: VerificationStep,
  label: string,
  leftMs: number,
  options: RunChecksOptions,
): Promise<CheckResult> {
  const { type, target, description } = step;
  const { env, clock, onEvent, onCheck, shownAs = env.workingDirectory } = options;
  const name = formatCheckName({ type, target, description: description ?? '' });
  const emit = (text: string, more: object): void =>
    onEvent?.({ event_type: 'verification', text, timestamp: clock.now(), ...more });
  emit(`${label}: ${name}`, { phase: 'started' });
  const startMs = clock.monotonicMs();
  const { status: ended, output } = await runWithLimit(step, leftMs, options);
  const printed = { status: ended, output: output.replaceAll(env.workingDirectory, shownAs) };
  const durationMs = Math.round(clock.monotonicMs() - startMs);
  const essence = await essenceOfFinding(printed, env, shownAs);
  const found = failHiddenFailure(printed, essence);
  emit(`${label}: ${name} → ${found.status} (${durationMs} ms)`, {
    phase: 'finished',
    success: found.status === 'pass',
    duration_ms: durationMs,
  });
  const check: CheckResult = {
    type,
    target,
    description: description ?? '',
    status: found.status,
    output: boundOutput(found.output),
    duration_ms: durationMs,
    ...(essence && { essence: summaryOf(essence) }),
  };
  onCheck?.(check, essence);
  return check;
}

const TAP_FRAME = /^(?:TAP version 1[34]|1\.\.\d+|[#ℹ] (?:fail|tests) \d+)/m;

/** Fails a passing check if its runner names a failed test, since a pipe or `|| true` may hide the exit code. */
function failHiddenFailure(found: Finding, essence: Essence | undefined): Finding {
  if (found.status !== 'pass' || !essence || essence.runner === 'other' || essence.failed.length === 0)
    return found;
  // Lines like TAP without a version, a plan or totals are output of the tested program.
  if (essence.runner === 'node:test' && !TAP_FRAME.test(found.output)) return found;
  return { status: 'fail', output: found.output.replace('` passed in ', `\` ${HIDDEN_FAILURE_TEXT} after `) };
}

const MAX_LISTED_FILES = 20_000;

/** Parses the output of a command. Returns undefined for other checks, which print one line. */
async function essenceOfFinding(
  { status, output }: Finding,
  env: ExecutionEnvironment,
  workspaceDir: string,
): Promise<Essence | undefined> {
  const { text = '' } = splitPrintedText(output) ?? {};
  if (text.trim() === '') return undefined;
  const failed = status !== 'pass';
  // Without the list of files that an output may name, file positions are less exact.
  const listed = failed ? await env.glob('**/*', { maxResults: MAX_LISTED_FILES }).catch(() => []) : [];
  const files = new Set(listed);
  return essenceOf(text, {
    workspaceDir,
    hasFailed: failed,
    ...(files.size > 0 && { isFile: (path: string) => files.has(path) }),
  });
}

/** Extra time after the limit. Commands end before that by their own time limit and the signal, which preserves their output. */
const GRACE_MS = 5_000;

/** Runs a check under its time limit. Does not wait longer for a check that ignores its limit (a slow disk). */
async function runWithLimit(
  step: VerificationStep,
  leftMs: number,
  { env, workspace, signal, clock, timeoutMs }: RunChecksOptions,
): Promise<Finding> {
  if (signal?.aborted) return { status: 'skip', output: 'Not run: the task was stopped' };
  if (leftMs <= 0)
    return {
      status: 'timeout',
      output: `Not run: the time limit of ${timeoutMs} ms for all checks was reached`,
    };
  const over = new AbortController();
  const late = new Promise<Finding>((resolve) => {
    const giveUp = (afterMs: number, found: Finding): void =>
      over.signal.addEventListener(
        'abort',
        clock.schedule(afterMs, () => resolve(found)),
      );
    giveUp(leftMs + GRACE_MS, { status: 'timeout', output: `Not finished within ${Math.round(leftMs)} ms` });
    const onStop = () => giveUp(GRACE_MS, { status: 'skip', output: 'Not finished: the task was stopped' });
    signal?.addEventListener('abort', onStop, { signal: over.signal });
  });
  const bounds = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  const check = runCheck(step, { env, workspace, timeoutMs: leftMs, signal: bounds });
  return Promise.race([check, late]).finally(() => over.abort());
}

const boundOutput = (output: string): string =>
  shortenMiddle(
    output.trim(),
    MAX_OUTPUT_CHARS,
    (removed) => `\n[... ${removed} characters omitted ...]\n`,
    HEAD_CHARS,
  );
