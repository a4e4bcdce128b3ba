/** Blocks of `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`. */
import { editText } from '../tools/editing/edit-text.ts';

const BEGIN = /^<{5,9}\s*(SEARCH|ORIGINAL|HEAD|OLD)?\b.*$/i;
const MIDDLE = /^={5,9}\s*$/;
const END = /^>{5,9}\s*(REPLACE|UPDATED|NEW)?\b.*$/i;

export interface SearchReplace {
  search: string;
  replace: string;
  /** The line before it, where it may name a file. */
  above: string;
}

/** Undefined when the text holds none. */
export function readSearchReplace(text: string): SearchReplace[] | undefined {
  const found: SearchReplace[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    if (!BEGIN.test(lines[at] ?? '')) continue;
    const middle = lines.findIndex((line, index) => index > at && MIDDLE.test(line));
    const end = lines.findIndex((line, index) => index > middle && END.test(line));
    if (middle < 0 || end < 0) break;
    found.push({
      search: lines.slice(at + 1, middle).join('\n'),
      replace: lines.slice(middle + 1, end).join('\n'),
      above: lines[at - 1] ?? '',
    });
    at = end;
  }
  return found.length > 0 ? found : undefined;
}

export const looksLikeSearchReplace = (text: string): boolean =>
  /^<{5,9}\s*(SEARCH|ORIGINAL|HEAD|OLD)?\s*$/im.test(text) && /^>{5,9}/m.test(text);

/** The text after the change, or why it cannot be made. */
export function applySearchReplace(
  text: string,
  { search, replace }: SearchReplace,
): { text: string } | { reason: string } {
  if (search.trim() === '') return { reason: 'it says nothing to search for' };
  const edited = editText(text, { oldString: search, newString: replace, replaceAll: false });
  return edited.ok ? { text: edited.text } : { reason: edited.message.split('\n')[0] ?? edited.message };
}
