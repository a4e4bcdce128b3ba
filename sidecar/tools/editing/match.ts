/** A passage that is looked for in a document, and its match. */

/** The wanted text, with plain line feeds. */
export interface Passage {
  oldString: string;
  newString: string;
  /** A search may stop after this many places. */
  limit: number;
}

/** Characters `from` up to (not including) `to` of the document's text. */
export interface Place {
  from: number;
  to: number;
}

/** Every place that a step found, overlapping ones included, what each becomes, and how they were found. */
export interface Matches {
  places: Place[];
  replacementFor: (place: Place) => string;
  /** Completes "matched …"; empty for an exact match. */
  how: string;
}

/** The document's text and lines under a folding that keeps every character in its place. */
export interface View {
  text: string;
  lines: readonly string[];
}
