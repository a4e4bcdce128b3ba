/** Putting the answer of a model into files. */
export { placeAnswer } from './place-answer.ts';
export type {
  AnswerForm,
  Placed,
  PlacedFile,
  PlacedProblem,
  PlacingContext,
  Unplaced,
  UnplacedKind,
} from './types.ts';
