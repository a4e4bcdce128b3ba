/** An attempt that did not solve its task. Chooses the tree of the next attempt, and the attempt that becomes the result. */
import { compareProgress, measureProgress, type WorkState } from '../result/progress-of.ts';
import type { Changes, VerificationReport } from '../../base/protocol/result.ts';
import type { ChecksProof } from '../result/build-result.ts';
import type { Ending } from '../task/ending.ts';

export interface EndedAttempt {
  /** Number of the attempt, from 1. */
  number: number;
  model: string;
  ending: Ending;
  /** Reports of all verifications of the attempt, in order. */
  reports: VerificationReport[];
  files: Changes['files'];
  /** The checks' report of the tree that the attempt began with, if known. */
  base?: VerificationReport;
  /** Tree that the attempt left, as stored by the workspace; undefined if it could not be stored. */
  tree?: string;
  proof?: ChecksProof;
}

/**
 * Returns the attempt with whose tree the next attempt begins: the best one, if more checks pass in its tree than on the base. Undefined
 * means the base, also if the outcome of the checks on the base is unknown.
 */
export function chooseStart(ended: readonly EndedAttempt[]): EndedAttempt | undefined {
  const base = ended[0]?.base;
  const best = findClosest(ended);
  return base && best && !isDoubtful(best) && measureProgress(best.reports.at(-1)) > measureProgress(base)
    ? best
    : undefined;
}

/** Returns whether the passing checks of an attempt prove nothing, for example because the attempt changed them. */
export const isDoubtful = ({ proof }: EndedAttempt): boolean => (proof?.doubts.length ?? 0) > 0;

/**
 * Returns the attempt that came closest: most passing checks, then most passing tests, then any change, then fewest changed lines, then the
 * first. An attempt whose passing checks prove nothing, or passed without any change, comes after all others.
 */
export function findClosest(ended: readonly EndedAttempt[]): EndedAttempt | undefined {
  const isUnproved = (attempt: EndedAttempt): boolean =>
    isDoubtful(attempt) || (isUnchanged(attempt) && attempt.reports.at(-1)?.status === 'pass');
  return [...ended].sort(
    (a, b) =>
      Number(isUnproved(a)) - Number(isUnproved(b)) ||
      compareProgress(toWorkState(a), toWorkState(b)) ||
      a.number - b.number,
  )[0];
}

const isUnchanged = ({ files }: EndedAttempt): boolean => files.length === 0;

const toWorkState = ({ reports, files }: EndedAttempt): WorkState => ({ report: reports.at(-1), files });
