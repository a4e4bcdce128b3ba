/** Inserts lines into a text and preserves its line endings. Pure. */
import type { EditOutcome } from './edit-text.ts';
import { TextDocument } from './text-document.ts';

export interface Insertion {
  text: string;
  /** From 1; 0 for the beginning. */
  afterLine: number;
}

/** Inserts the text; a failure's message advises the model. */
export function insertText(original: string, { text, afterLine }: Insertion): EditOutcome {
  const document = new TextDocument(original);
  const count = document.closedLines.length;
  if (afterLine > count)
    return { ok: false, message: `it has ${count} lines, so insert_line must be from 0 to ${count}` };
  const lines = text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n');
  const inserted = document.linesReplaced([{ start: afterLine, end: afterLine, lines }]);
  return { ok: true, text: document.replace(inserted), count: 1, how: `inserted behind line ${afterLine}` };
}
