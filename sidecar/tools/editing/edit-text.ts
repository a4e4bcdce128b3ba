/**
 * Replaces a passage of a text (tools.md, edit_file). Pure. The replacement is literal; a passage that is there more
 * than once is never chosen from.
 */
import { TextDocument, type Replacement } from './text-document.ts';
import type { LineChange } from './changed-lines.ts';

export interface TextEdit {
  oldString: string;
  newString: string;
  replaceAll: boolean;
}

export type EditOutcome =
  | { ok: true; text: string; oldLines: readonly string[]; changes: LineChange[]; count: number; how: string }
  | { ok: false; message: string };

/** Occurrences named in an error. */
const MAX_LISTED = 10;

/** `how` is empty for an exact match. Failure says what the model should do next. */
export function editText(original: string, edit: TextEdit): EditOutcome {
  const document = new TextDocument(original);
  const found = occurrences(document.text, edit.oldString, edit.replaceAll ? Infinity : MAX_LISTED + 1);
  if (found.length === 0) return { ok: false, message: 'old_string was not found' };
  if (found.length > 1 && !edit.replaceAll)
    return { ok: false, message: 'old_string is there more than once' };
  const replacements = found.map((from) => ({
    from,
    to: from + edit.oldString.length,
    text: edit.newString,
  }));
  return {
    ok: true,
    text: document.replace(replacements),
    oldLines: document.lines,
    changes: lineChanges(document, replacements),
    count: replacements.length,
    how: '',
  };
}

function occurrences(text: string, wanted: string, limit: number): number[] {
  const found: number[] = [];
  if (wanted === '') return found;
  for (let at = text.indexOf(wanted); at >= 0 && found.length < limit;) {
    found.push(at);
    at = text.indexOf(wanted, at + wanted.length);
  }
  return found;
}

/** The same replacements as whole lines; those that share a line become one change. */
export function lineChanges(document: TextDocument, replacements: readonly Replacement[]): LineChange[] {
  const changes: LineChange[] = [];
  for (let index = 0; index < replacements.length;) {
    const first = replacements[index];
    if (!first) break;
    const start = document.lineAt(first.from);
    let end = start;
    let at = document.startOf(start);
    let text = '';
    for (let next: Replacement | undefined = first; next; next = replacements[index]) {
      if (next !== first && document.lineAt(next.from) > end) break;
      text += document.text.slice(at, next.from) + next.text;
      at = next.to;
      end = document.lineAt(next.to);
      index++;
    }
    text += (document.lines[end] ?? '').slice(at - document.startOf(end));
    changes.push({ start, end: end + 1, lines: text.split('\n') });
  }
  return changes;
}
