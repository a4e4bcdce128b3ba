/**
 * The task's checks on the untouched tree: what fails before anything was done. A check may hang, print without end or
 * write files, so together they have a limit, and the tree is put back as it was, whatever happened. Slow checks go on
 * beside the first call of the model: what is known at `patienceMs` is given at once, the rest later.
 */
import type { Clock, ExecutionEnvironment } from '../ports.ts';
import type { VerificationReport } from '../protocol/result.ts';
import type { VerificationStep } from '../protocol/task.ts';
import type { Essence } from '../essence/types.ts';
import { waitAtMost } from '../system/clock.ts';
import { checkName } from '../verification/correction.ts';
import { runChecks, type RunChecksOptions } from '../verification/run-checks.ts';
import type { BaseCheck } from './types.ts';

export interface BaseChecksOptions {
  steps: readonly VerificationStep[];
  /** Of a tree that nothing else changes meanwhile: slow checks need one of their own. */
  env: ExecutionEnvironment;
  workspace: RunChecksOptions['workspace'];
  shownAs?: RunChecksOptions['shownAs'];
  clock: Clock;
  taskId: string;
  /** Puts the tree back as it was before the checks; called once, when the last of them has ended. */
  restore: () => Promise<void>;
  /** For all checks together. */
  timeoutMs: number;
  /** How long they are waited for. Default 60 seconds. */
  patienceMs?: number;
  signal?: AbortSignal;
}

export interface BaseChecks {
  /** Those that have ended, in the order of the steps. */
  checks: BaseCheck[];
  /** The report of all of them; resolves once the tree is restored. Rejects only as `restore` does. */
  finished: Promise<{ report: VerificationReport }>;
}

const DEFAULT_PATIENCE_MS = 60_000;

export async function runBaseChecks({
  steps,
  restore,
  patienceMs = DEFAULT_PATIENCE_MS,
  ...options
}: BaseChecksOptions): Promise<BaseChecks> {
  const ended: BaseCheck[] = [];
  const running = runChecks(steps, {
    ...options,
    runNumber: 0,
    onCheck: (check, essence = plainEssence(check.output)) =>
      ended.push({ name: checkName(check), passed: check.status === 'pass', essence }),
  });
  const finished = running.then(async (report) => {
    await restore();
    return { report };
  });
  // Whoever needs the report learns of a failure; here only the time matters.
  const over = finished.catch(() => undefined);
  await waitAtMost(options.clock, over, patienceMs, options.signal);
  return { checks: [...ended], finished };
}

/** Of a check that ran no command: the line that it says. */
const plainEssence = (output: string): Essence => ({
  runner: 'other',
  failed: [],
  errors: [],
  text: output.slice(0, 600),
});
