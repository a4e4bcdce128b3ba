/** Part of a text: offsets in UTF-16 units, from `start` up to (not including) `end`. */
export interface Span {
  start: number;
  end: number;
}
