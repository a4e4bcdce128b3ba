/** Putting the answer of a model into files. */
export { placeAnswer } from './place-answer.ts';
export type { Placed, PlacedFile, PlacingContext, Unplaced } from './types.ts';
