/** Putting the answer of a model into files. */
export { changedLines, describeChange } from './changed-lines.ts';
export { applyAnswer } from './apply-answer.ts';
export { sameChangeKey } from './same-change.ts';
export type { ApplyingContext, Candidate, ChangedFile, LeftOut } from './types.ts';
