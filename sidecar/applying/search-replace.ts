/** What blocks of search and replace do to a file. */
import { editText } from '../tools/editing/edit-text.ts';
import type { SearchReplace } from '../tools/editing/search-replace.ts';

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
