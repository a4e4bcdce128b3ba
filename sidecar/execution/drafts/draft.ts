/** One answer of the model, as changed files, and what came of it. */
import type { ChangedFile } from '../../applying/index.ts';
import type { VerificationReport } from '../../protocol/result.ts';
import type { Spot } from './suspects.ts';

export interface Draft {
  /** From 1, in the order in which they were asked for; 0 for a change that the program made by itself. */
  number: number;
  /** The files that it changes, as they would be; empty where nothing could be put in. */
  files: readonly ChangedFile[];
  /** Other readings of the answer, in the order in which they are tried where `files` fail. */
  readings?: readonly (readonly ChangedFile[])[];
  /** What the answer says before its first code block. */
  reason: string;
  /** The answer, whole. */
  answer: string;
  /** The earlier draft that it mends. */
  mends?: number;
  /** The line that it was asked about, or for. */
  at?: Spot;
  /**
   * Other changes that are tried where it does not pass. `beside`: the line stays, and what the answer says stands behind or
   * before it. `renamed`: the program renames what the task names, and leaves the answer aside. `comesFirst`: they are better
   * than the answer where both pass, for it does a part of what is asked.
   */
  otherwise?: { as: 'beside' | 'renamed'; changes: readonly ChangedFile[][]; comesFirst?: boolean };
  /**
   * `files` are the answer with what it leaves out, a part of what it changes, or of its `otherwise`: they pass more than the
   * answer as it was written. `small`: there is no answer, the program made a small change.
   */
  altered?: 'merged' | 'part' | 'beside' | 'renamed' | 'small';
  /** What of the answer found no place, beside what did. */
  leftOut?: string;
  /** Why it is not tried. */
  rejected?: string;
  /** The earlier draft that makes the same change. */
  sameAs?: number;
  /** What the checks say of it; missing where it was not tried or there are none. */
  report?: VerificationReport;
}

/** Why a draft is not tried once another one is enough. */
export const NOT_NEEDED = 'it is no longer needed';

/** Whether all checks ran and passed. */
export const passesAll = (report: VerificationReport | undefined): boolean => report?.status === 'pass';

/** A draft that may be taken: something is changed, and nothing speaks against it. */
export const isUsable = ({ files, rejected }: Draft): boolean => files.length > 0 && rejected === undefined;
