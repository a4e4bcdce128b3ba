export { dropLastPart } from './answer-blocks.ts';
export { applyAnswer } from './apply-answer.ts';
export type {
  ApplyContext as ApplyingContext,
  AnswerCandidate as Candidate,
  ChangedFile,
  OmittedPart as LeftOut,
} from './types.ts';
