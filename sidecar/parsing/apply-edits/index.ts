export { dropLastPart } from './answer-blocks.ts';
export { applyAnswer } from './apply-answer.ts';
export type { AnswerCandidate, ApplyContext, ChangedFile, OmittedPart } from './types.ts';
