/**
 * Reads blocks of search and replace: `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`, also with `-------` and `+++++++` as marks. Needs one
 * pass.
 */
const BEGIN_MARK = /^(?:<{5,9}\s{0,4}(?:SEARCH|ORIGINAL|HEAD|OLD)?|-{5,9} ?SEARCH)\b/i;
const BARE_BEGIN_MARK = /^<{5,9}\s*$/;
const MIDDLE_MARK = /^={5,9}\s*$/;
const END_MARK = /^(?:>{5,9}|\+{5,9} ?REPLACE\b)/i;

export interface SearchReplace {
  search: string;
  replace: string;
  /** The line above the block, which may name a file. */
  lineAbove: string;
}

/** Returns the blocks of a text; undefined if there are none. An incomplete block ends the reading. */
export function readSearchReplace(text: string): SearchReplace[] | undefined {
  const blocks: SearchReplace[] = [];
  const lines = text.split('\n');
  const findNext = (pattern: RegExp, from: number): number => {
    for (let index = from; index < lines.length; index += 1)
      if (pattern.test(lines[index] ?? '')) return index;
    return -1;
  };
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (!BEGIN_MARK.test(line) && !BARE_BEGIN_MARK.test(line)) continue;
    const middle = findNext(MIDDLE_MARK, index + 1);
    const end = middle < 0 ? -1 : findNext(END_MARK, middle + 1);
    if (end < 0) break;
    blocks.push({
      search: lines.slice(index + 1, middle).join('\n'),
      replace: lines.slice(middle + 1, end).join('\n'),
      lineAbove: lines[index - 1] ?? '',
    });
    index = end;
  }
  return blocks.length > 0 ? blocks : undefined;
}
