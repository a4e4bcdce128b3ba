/**
 * The fall-back that ignores white space at the ends of lines. The passage may still begin and
 * end within a line; only what the cut white space bordered on must be the end of one.
 */
import { isBlank, withoutTrailing } from './folding.ts';
import type { Matches, Passage, Place, View } from './match.ts';
import { findText } from './sequence-search.ts';
import { TextDocument } from './text-document.ts';

/** `view` is the document's lines under a folding that keeps offsets. */
export function ignoringTrailing(
  document: TextDocument,
  view: View,
  { oldString, newString, limit }: Passage,
): Matches | undefined {
  const wanted = withoutTrailingSpace(oldString);
  if (isBlank(wanted)) return undefined;
  const last = oldString.slice(oldString.lastIndexOf('\n') + 1);
  const cut = new TextDocument(view.lines.map(withoutTrailing).join('\n'));
  const places = findText(cut.text, wanted, Infinity).flatMap((at): Place[] => {
    const [first, end] = [cut.lineAt(at), cut.lineAt(at + wanted.length)];
    const column = at + wanted.length - cut.startOf(end);
    const isAtEnd = column === cut.lines[end]?.length;
    if (!isAtEnd && last !== withoutTrailing(last)) return [];
    const from = document.startOf(first) + at - cut.startOf(first);
    // A passage that ends with a line break ends before whatever white space the next line holds.
    return [{ from, to: isAtEnd && last !== '' ? document.endOf(end) : document.startOf(end) + column }];
  });
  if (places.length === 0) return undefined;
  return {
    places: places.slice(0, limit),
    replacementFor: () => newString,
    how: 'ignoring trailing white space',
  };
}

const withoutTrailingSpace = (text: string): string => text.split('\n').map(withoutTrailing).join('\n');
