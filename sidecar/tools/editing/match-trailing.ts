/**
 * The fall-back that ignores white space at the ends of lines. The passage may still begin and
 * end within a line; only what the cut white space bordered on must be the end of one.
 */
import { isBlank, withoutTrailing } from './folding.ts';
import type { Matches, Passage, Place, View } from './match-passage.ts';
import { findBlock } from './sequence-search.ts';
import type { TextDocument } from './text-document.ts';

/** `view` is the document's lines under a folding that keeps offsets. */
export function ignoringTrailing(
  document: TextDocument,
  view: View,
  { oldString, newString, limit }: Passage,
): Matches | undefined {
  const wanted = oldString.split('\n');
  const cut = wanted.map(withoutTrailing);
  if (cut.every(isBlank)) return undefined;
  const places = (
    cut.length === 1
      ? lineEndPlaces(document, view, wanted, cut)
      : blockStarts(view.lines, cut).flatMap((start) => blockPlace(document, view, start, wanted, cut))
  ).slice(0, limit);
  if (places.length === 0) return undefined;
  return { places, replacementFor: () => newString, how: 'ignoring trailing white space' };
}

/** One line whose own trailing white space was cut: it must end a line. */
function lineEndPlaces(
  document: TextDocument,
  view: View,
  wanted: readonly string[],
  cut: readonly string[],
): Place[] {
  const [text = ''] = cut;
  // Without trailing white space of its own this is the exact search again.
  if (text === wanted[0]) return [];
  return view.lines.flatMap((line, index) => {
    const trimmed = line.trimEnd();
    if (!trimmed.endsWith(text)) return [];
    const from = document.startOf(index) + trimmed.length - text.length;
    return [{ from, to: document.endOf(index) }];
  });
}

/** Lines where the passage may begin: all lines between its first and its last match there. */
function blockStarts(lines: readonly string[], cut: readonly string[]): number[] {
  if (cut.length > 2) return findBlock(lines, cut.slice(1, -1), withoutTrailing).map((line) => line - 1);
  const [first = '', last = ''] = cut;
  const starts: number[] = [];
  for (let line = 0; line + 1 < lines.length; line++) {
    if (lines[line + 1]?.startsWith(last) && lines[line]?.trimEnd().endsWith(first)) starts.push(line);
  }
  return starts;
}

function blockPlace(
  document: TextDocument,
  view: View,
  start: number,
  wanted: readonly string[],
  cut: readonly string[],
): Place[] {
  const end = start + cut.length - 1;
  const first = cut[0] ?? '';
  const last = cut.at(-1) ?? '';
  const firstLine = view.lines[start]?.trimEnd();
  const lastLine = view.lines[end]?.trimEnd();
  if (firstLine === undefined || lastLine === undefined) return [];
  const reachesEnd = lastLine === last && (last !== '' || wanted.at(-1) !== '');
  const mustReachEnd = last !== wanted.at(-1);
  if (!firstLine.endsWith(first) || !lastLine.startsWith(last) || (mustReachEnd && !reachesEnd)) return [];
  return [
    {
      from: document.startOf(start) + firstLine.length - first.length,
      to: reachesEnd ? document.endOf(end) : document.startOf(end) + last.length,
    },
  ];
}
