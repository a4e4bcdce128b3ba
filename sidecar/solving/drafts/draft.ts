/** An answer of the model as changed files, with its checks. */
import type { ChangedFile } from '../../parsing/apply-edits/index.ts';
import type { VerificationReport } from '../../base/protocol/result.ts';

export interface Draft {
  /** From 1, in the order of the requests. */
  number: number;
  /** The changed files with their new content; empty if no code could be applied. */
  files: readonly ChangedFile[];
  /** Other readings of the answer, in the order in which they are tried if `files` fail. */
  readings?: readonly (readonly ChangedFile[])[];
  /** The answer's text before its first code block. */
  reason: string;
  /** The whole answer. */
  answer: string;
  /** The earlier draft that this one mends. */
  mends?: number;
  /** Whether `files` are another reading of the answer, which passes more than the answer as written. */
  isOtherReading?: boolean;
  /** A part of the answer that could not be applied, although others could. */
  leftOut?: string;
  /** The reason why the draft is not checked. */
  rejected?: string;
  /** The earlier draft that makes the same change. */
  sameAs?: number;
  /** The checks' report; missing if there are no checks or the draft was not checked. */
  report?: VerificationReport;
}

/** The reason of drafts that are not checked because another one is enough. */
export const NOT_NEEDED = 'it is no longer needed';

/** Returns whether all checks ran and passed. */
export const passesAll = (report: VerificationReport | undefined): boolean => report?.status === 'pass';

/** Returns whether a draft may be taken: it changes a file and was not rejected. */
export const isUsable = ({ files, rejected }: Draft): boolean => files.length > 0 && rejected === undefined;
