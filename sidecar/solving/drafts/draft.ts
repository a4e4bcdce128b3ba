/** An answer of the model as changed files, with its checks. */
import type { ChangedFile } from '../../parsing/apply-edits/index.ts';
import type { VerificationReport } from '../../base/protocol/result.ts';

export interface Draft {
  /** Number of the draft, from 1, in the order of the requests. */
  number: number;
  /** The changed files with their new content; empty if no code could be applied. */
  files: readonly ChangedFile[];
  /** Other readings of the answer, in the order in which they are tried if `files` fail. */
  readings?: readonly (readonly ChangedFile[])[];
  /** Text of the answer before its first code block. */
  reason: string;
  /** The whole answer. */
  answer: string;
  /** Number of the earlier draft that this draft repairs. */
  repairedDraftNumber?: number;
  /** Whether `files` are another reading of the answer, which passes more checks than the answer as written. */
  isOtherReading?: boolean;
  /** The part of the answer that could not be applied although others could, with the reason. */
  omittedPart?: string;
  /** Reason why the draft is not checked. */
  rejectionReason?: string;
  /** Number of the earlier draft that makes the same change. */
  duplicateOf?: number;
  /** The checks' report; missing if there are no checks or the draft was not checked. */
  report?: VerificationReport;
}

/** Reason for drafts that are not checked because another draft is enough. */
export const NOT_NEEDED_REASON = 'another draft was chosen first';

/** Returns whether all checks ran and passed. */
export const passesAll = (report: VerificationReport | undefined): boolean => report?.status === 'pass';

/** Returns whether a draft may be chosen: it changes a file and was not rejected. */
export const isUsable = ({ files, rejectionReason }: Draft): boolean =>
  files.length > 0 && rejectionReason === undefined;
