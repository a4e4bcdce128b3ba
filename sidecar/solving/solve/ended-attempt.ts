/**
 * An attempt that did not solve its task, and the consequences: where the next one begins, and which
 * one is handed back.
 */
import { byCloseness, progressOf, type Work } from '../result/progress-of.ts';
import type { Changes, VerificationReport } from '../../base/protocol/result.ts';
import type { ChecksProof } from '../result/build-result.ts';
import type { Ending } from '../task/ending.ts';

export interface EndedAttempt {
  /** From 1. */
  number: number;
  model: string;
  ending: Ending;
  /** All runs of its checks, in order. */
  reports: VerificationReport[];
  files: Changes['files'];
  /** The checks' report of the tree that it began with, where that is known. */
  base?: VerificationReport;
  /** The tree that it left, as the workspace keeps it; missing where it could not be kept. */
  tree?: string;
  proof?: ChecksProof;
}

/**
 * The attempt whose tree the next one begins with: the best, if it passes more than the base does. Undefined:
 * it begins with the base, also where nobody knows what the checks say of that.
 */
export function startOfNext(ended: readonly EndedAttempt[]): EndedAttempt | undefined {
  const base = ended[0]?.base;
  const best = closest(ended);
  return base && best && !isDoubtful(best) && progressOf(best.reports.at(-1)) > progressOf(base)
    ? best
    : undefined;
}

/** Whether its checks pass and prove nothing, such as checks that it changed itself. */
export const isDoubtful = ({ proof }: EndedAttempt): boolean => (proof?.doubts.length ?? 0) > 0;

/**
 * The attempt that came closest: most checks, then most tests, then one that changed something, then fewest changed lines,
 * then the first. One whose passing checks prove nothing comes after all others; so do checks that pass as they did before.
 */
export function closest(ended: readonly EndedAttempt[]): EndedAttempt | undefined {
  const isUnproved = (attempt: EndedAttempt): boolean =>
    isDoubtful(attempt) || (isUnchanged(attempt) && attempt.reports.at(-1)?.status === 'pass');
  return [...ended].sort(
    (a, b) =>
      Number(isUnproved(a)) - Number(isUnproved(b)) ||
      byCloseness(workOf(a), workOf(b)) ||
      a.number - b.number,
  )[0];
}

const isUnchanged = ({ files }: EndedAttempt): boolean => files.length === 0;

const workOf = ({ reports, files }: EndedAttempt): Work => ({ report: reports.at(-1), files });
