/**
 * Shows the current text of a file in the refusal of a call that did not fit it, so that the model can copy from it. The text has no line
 * numbers, which small models would copy, too. A small file is shown whole, a large one in part.
 */
import { outlineOf } from '../parsing/definitions/index.ts';
import { excerptStartOf } from '../parsing/editing/long-lines.ts';
import { formatCodeBlock } from '../base/values/code-block.ts';
import { fitLines } from '../base/values/shortening.ts';

export interface FileView {
  text: string;
  /** Whether the view contains the whole file. */
  isWhole: boolean;
}

export interface FileViewOptions {
  /** Line, from 0, around which a part of the file is shown. */
  nearLine?: number | undefined;
  /** Column around which a line is shown that does not fit. */
  nearColumn?: number | undefined;
  /** Whether to show as much as fits, not only the lines near `nearLine`. */
  isLarge?: boolean;
  /** Limit of characters for the whole result. */
  maxChars?: number | undefined;
}

/** Maximum number of lines of a file that is shown whole. */
const SMALL_FILE_LINES = 120;
const CONTEXT_LINES = 20;
const MAX_VIEW_CHARS = 8_000;
/** Characters that are reserved for the sentences before and after the text. */
const RESERVED_CHARS = 600;
const MIN_VIEW_CHARS = 400;
const MAX_OUTLINE_LINES = 60;
const OUTLINE_SHARE = 0.3;

/** Formats a file for a refusal, whole or in part. */
export async function viewOf(path: string, text: string, options: FileViewOptions = {}): Promise<FileView> {
  const { nearLine, nearColumn = 0, isLarge = false, maxChars = Infinity } = options;
  const maxTextChars = Math.max(MIN_VIEW_CHARS, Math.min(MAX_VIEW_CHARS, maxChars - RESERVED_CHARS));
  const lines = linesOf(text);
  if (lines.length === 0) return { text: `${path} is empty.`, isWhole: true };
  const isShort = text.length <= maxTextChars;
  if (isShort && (isLarge || lines.length < SMALL_FILE_LINES))
    return {
      text: `${path}, whole (${formatLineCount(lines)}):\n${formatCodeBlock(`${lines.join('\n')}\n`)}`,
      isWhole: true,
    };
  const outline =
    nearLine === undefined || isLarge ? await buildOutline(path, text, maxTextChars * OUTLINE_SHARE) : '';
  const { from, to } = chooseRange(lines, {
    maxDistance: isLarge ? Infinity : CONTEXT_LINES,
    middle: nearLine ?? 0,
    maxChars: maxTextChars - outline.length,
  });
  const shown = lines.slice(from, to).map((line, index) => {
    const start = from + index === nearLine ? excerptStartOf(line, nearColumn, maxTextChars) : 0;
    return line.slice(start, start + maxTextChars);
  });
  const partNote =
    to - from === 1 && (lines[from]?.length ?? 0) > maxTextChars ? ' (only a part of this line)' : '';
  const excerpt = `${path}, lines ${from + 1} to ${to} of ${lines.length}${partNote}:\n${formatCodeBlock(`${shown.join('\n')}\n`)}`;
  return { text: outline === '' ? excerpt : `${outline}\n${excerpt}`, isWhole: false };
}

/** Returns the `details` of a result that shows a file. They record whether the model now knows the file's whole text. */
export const buildViewDetails = (path: string, { isWhole }: FileView): Record<string, unknown> => ({
  files: isWhole ? { known: [path] } : {},
});

/** Formats the number of lines, for users and models. */
export const formatLineCount = ({ length }: readonly string[]): string =>
  length === 1 ? '1 line' : `${length} lines`;

/** Splits a text into lines without their endings and without the byte order mark. */
export function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Returns the largest range of lines around `middle` that fits; at least that line. */
function chooseRange(
  lines: readonly string[],
  { maxDistance, middle, maxChars }: { maxDistance: number; middle: number; maxChars: number },
): { from: number; to: number } {
  let from = Math.min(middle, lines.length - 1);
  let to = from + 1;
  let remainingChars = maxChars - (lines[from]?.length ?? 0);
  for (let hasGrown = true; hasGrown;) {
    hasGrown = false;
    const above = from > 0 && middle - from < maxDistance ? (lines[from - 1]?.length ?? 0) + 1 : Infinity;
    if (above <= remainingChars) {
      from -= 1;
      remainingChars -= above;
      hasGrown = true;
    }
    const below = to < lines.length && to - middle <= maxDistance ? (lines[to]?.length ?? 0) + 1 : Infinity;
    if (below <= remainingChars) {
      to += 1;
      remainingChars -= below;
      hasGrown = true;
    }
  }
  return { from, to };
}

async function buildOutline(path: string, text: string, maxChars: number): Promise<string> {
  const lines = (await outlineOf(path, text)) ?? [];
  const shown = fitLines(lines.slice(0, MAX_OUTLINE_LINES), maxChars);
  return shown.length === 0 ? '' : [`Definitions in ${path}, with line numbers:`, ...shown].join('\n');
}
