/** Putting the answer of a model into files. */
export { applyAnswer } from './apply-answer.ts';
export type { ApplyingContext, Candidate, ChangedFile, LeftOut } from './types.ts';
