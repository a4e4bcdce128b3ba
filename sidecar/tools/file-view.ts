/**
 * A file's own text in the answer to a call that did not fit it, so that the next call can be copied from what is really
 * there. Without line numbers, which small models copy too. A small file is shown whole, of a large one a part.
 */
import { outlineOf } from '../definitions/index.ts';
import { startOfPart } from './editing/long-lines.ts';
import { fenced } from '../values/fenced.ts';
import { linesWithin } from '../values/shortening.ts';

export interface FileView {
  /** Text for the model. */
  text: string;
  /** Nothing of the file was left out. */
  isWhole: boolean;
}

export interface ViewOptions {
  /** The line (from 0) that the part is about. */
  nearLine?: number | undefined;
  /** Where in it, of a line that is longer than what there is room for. */
  nearColumn?: number | undefined;
  /** As much as there is room for, not only what is near. */
  large?: boolean;
  /** Characters that the whole answer may have. */
  maxChars?: number | undefined;
}

/** Files with fewer lines are shown whole. */
const SMALL_FILE_LINES = 120;
const LINES_AROUND = 20;
const MAX_CHARS = 8_000;
/** For the sentences around the text. */
const FRAME_CHARS = 600;
const MIN_CHARS = 400;
const MAX_OUTLINE_LINES = 60;
const OUTLINE_SHARE = 0.3;

export async function viewOf(path: string, text: string, options: ViewOptions = {}): Promise<FileView> {
  const { nearLine, nearColumn = 0, large = false, maxChars = Infinity } = options;
  const room = Math.max(MIN_CHARS, Math.min(MAX_CHARS, maxChars - FRAME_CHARS));
  const lines = linesOf(text);
  if (lines.length === 0) return { text: `${path} is empty.`, isWhole: true };
  const fits = text.length <= room;
  if (fits && (large || lines.length < SMALL_FILE_LINES))
    return { text: `${path}, whole (${countOf(lines)}):\n${fenced(`${lines.join('\n')}\n`)}`, isWhole: true };
  const outline = nearLine === undefined || large ? await outlined(path, text, room * OUTLINE_SHARE) : '';
  const { from, to } = part(lines, {
    around: large ? Infinity : LINES_AROUND,
    middle: nearLine ?? 0,
    room: room - outline.length,
  });
  const shown = lines.slice(from, to).map((line, index) => {
    const start = from + index === nearLine ? startOfPart(line, nearColumn, room) : 0;
    return line.slice(start, start + room);
  });
  const cut = to - from === 1 && (lines[from]?.length ?? 0) > room ? ' (a part of it)' : '';
  const where = `${path}, lines ${from + 1} to ${to} of ${lines.length}${cut}:\n${fenced(`${shown.join('\n')}\n`)}`;
  return { text: outline === '' ? where : `${outline}\n${where}`, isWhole: false };
}

/** What the model knows of a file whose view it got. */
export const seen = (path: string, { isWhole }: FileView): Record<string, unknown> => ({
  files: isWhole ? { known: [path] } : {},
});

/** How many they are, for people and models. */
export const countOf = ({ length }: readonly string[]): string =>
  length === 1 ? '1 line' : `${length} lines`;

/** Lines without their endings; the byte order mark is no part of the first line. */
export function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Lines around the middle one, as many as there is room for; at least that one. */
function part(
  lines: readonly string[],
  { around, middle, room }: { around: number; middle: number; room: number },
): { from: number; to: number } {
  let from = Math.min(middle, lines.length - 1);
  let to = from + 1;
  let left = room - (lines[from]?.length ?? 0);
  for (let grown = true; grown;) {
    grown = false;
    const above = from > 0 && middle - from < around ? (lines[from - 1]?.length ?? 0) + 1 : Infinity;
    if (above <= left) {
      from -= 1;
      left -= above;
      grown = true;
    }
    const below = to < lines.length && to - middle <= around ? (lines[to]?.length ?? 0) + 1 : Infinity;
    if (below <= left) {
      to += 1;
      left -= below;
      grown = true;
    }
  }
  return { from, to };
}

async function outlined(path: string, text: string, maxChars: number): Promise<string> {
  const lines = (await outlineOf(path, text)) ?? [];
  const shown = linesWithin(lines.slice(0, MAX_OUTLINE_LINES), maxChars);
  return shown.length === 0 ? '' : [`What ${path} defines, with line numbers:`, ...shown].join('\n');
}
