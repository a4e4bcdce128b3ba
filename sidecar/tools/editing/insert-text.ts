/** Inserts lines into a text, which keeps its own line endings. Pure. */
import { LEAST_TELLING_CHARS, type EditOutcome } from './edit-text.ts';
import { TextDocument, withLineFeeds } from './text-document.ts';

export interface Insertion {
  text: string;
  /** From 1; 0 for the beginning. */
  afterLine: number;
}

/** Failure says what the model should do next. */
export function insertText(original: string, { text, afterLine }: Insertion): EditOutcome {
  const inserted = withLineFeeds(text).replace(/\n$/, '');
  const document = new TextDocument(original);
  const count = original === '' ? 0 : document.closedLines.length;
  if (afterLine > count)
    return { ok: false, message: `it has ${count} lines, so insert_line must be from 0 to ${count}` };
  const end = afterLine + inserted.split('\n').length;
  const isThere = document.lines.slice(afterLine, end).join('\n') === inserted;
  if (isThere && inserted.trim().length >= LEAST_TELLING_CHARS)
    return {
      ok: false,
      message: `the text stands behind line ${afterLine} already: this edit was made before. Go on with the next step.`,
    };
  // A last line without an ending gets one, and the new last line has none.
  const isBehindOpenLine = afterLine > 0 && afterLine === document.lines.length;
  const at = document.startOf(afterLine);
  return {
    ok: true,
    text: document.replace([
      { from: at, to: at, text: isBehindOpenLine ? `\n${inserted}` : `${inserted}\n` },
    ]),
    count: 1,
    how: `inserted behind line ${afterLine}`,
  };
}
