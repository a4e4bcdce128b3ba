/** One answer of the model, as changed files, and what came of it. */
import type { ChangedFile } from '../applying/index.ts';
import type { VerificationReport } from '../protocol/result.ts';

export interface Draft {
  /** From 1, in the order in which they were asked for. */
  number: number;
  /** The files that it changes, as they would be; empty where nothing could be put in. */
  files: readonly ChangedFile[];
  /** Other readings of the answer, in the order in which they are tried where `files` fail. */
  readings?: readonly (readonly ChangedFile[])[];
  /** The answer's text before its first code block. */
  reason: string;
  /** The answer, whole. */
  answer: string;
  /** The earlier draft that it mends. */
  mends?: number;
  /**
   * `files` are another reading of the answer, or a part of what it changes: they pass more than the answer as it was
   * written.
   */
  altered?: 'merged' | 'part';
  /** A part of the answer that found no place, where others did. */
  leftOut?: string;
  /** Why it is not tried. */
  rejected?: string;
  /** The earlier draft that makes the same change. */
  sameAs?: number;
  /** The checks' report; missing where it was not tried or there are no checks. */
  report?: VerificationReport;
}

/** Why a draft is not tried once another one is enough. */
export const NOT_NEEDED = 'it is no longer needed';

/** Whether all checks ran and passed. */
export const passesAll = (report: VerificationReport | undefined): boolean => report?.status === 'pass';

/** A draft that may be taken: something is changed, and nothing speaks against it. */
export const isUsable = ({ files, rejected }: Draft): boolean => files.length > 0 && rejected === undefined;
