/** Putting the answer of a model into files. */
export { changedLines, describeChange } from './changed-lines.ts';
export { placeAnswer } from './place-answer.ts';
export { sameChangeKey } from './same-change.ts';
export type { Placed, PlacedFile, PlacingContext, Unplaced } from './types.ts';
