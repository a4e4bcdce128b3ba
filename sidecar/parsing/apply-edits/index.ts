export { dropLastPart } from './answer-blocks.ts';
export { applyAnswer } from './apply-answer.ts';
export type { ApplyingContext, Candidate, ChangedFile, LeftOut } from './types.ts';
