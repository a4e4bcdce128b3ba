/**
 * Splits an answer into code blocks, each with the prose before it: fenced blocks, text between `<file path="…">` and
 * `</file>`, and patches without a fence. Linear in the answer's length.
 */
import { isBarePath } from './block-path.ts';
import type { AnswerBlock } from './types.ts';

/** Returns the language or kind that follows a fence, in lower case; empty if there is none. */
export const readFenceKind = (info: string): string => info.toLowerCase().split(/[\s:,{]/, 1)[0] ?? '';

const FENCE = /^(\s*)(`{3,}|~{3,}(?!~))([^`]*)$/;
const MARKDOWN_INFO = /^(markdown|md|mdx)\b/i;

function parseFence(line: string): { indent: string; mark: string; info: string } | undefined {
  const [, indent = '', mark, info = ''] = FENCE.exec(line) ?? [];
  return mark === undefined ? undefined : { indent, mark, info: info.trim() };
}

export function readBlocks(answer: string): AnswerBlock[] {
  const lines = answer.replaceAll('\r\n', '\n').split('\n');
  const blocks: AnswerBlock[] = [];
  let prose: string[] = [];
  for (let index = 0; index < lines.length;) {
    const match =
      readTaggedFile(lines, index) ?? readBarePatch(lines, index) ?? readFencedBlock(lines, index);
    if (match) {
      const { next, ...block } = match;
      blocks.push({ ...block, precedingProse: prose.join('\n') });
      prose = [];
      index = next;
    } else {
      prose.push(lines[index] ?? '');
      index += 1;
    }
  }
  return blocks;
}

/** A block that begins at a line. `next`: first line after the block. */
interface BlockMatch extends Omit<AnswerBlock, 'precedingProse'> {
  next: number;
}

function readFencedBlock(lines: readonly string[], index: number): BlockMatch | undefined {
  const fence = parseFence(lines[index] ?? '');
  if (!fence) return undefined;
  const { indent, mark, info } = fence;
  const blockEnd = findBlockEnd(lines, index + 1, mark, MARKDOWN_INFO.test(info));
  const { end, next } = blockEnd ?? { end: lines.length, next: lines.length };
  const inner = lines.slice(index + 1, end).map((line) => removeIndent(line, indent));
  return { info, text: inner.join('\n'), next, closed: blockEnd !== undefined };
}

const FILE_TAG = /^\s*<file\s+(?:path|name)=["']?([^"'>]+)["']?\s*>\s*$/iu;
const MAX_TAG_CHARS = 500;
const FILE_END = /^\s*<\/file>\s*$/iu;

/** Reads a file between tags, with or without a fence around its text. */
function readTaggedFile(lines: readonly string[], start: number): BlockMatch | undefined {
  const [, path] = FILE_TAG.exec((lines[start] ?? '').slice(0, MAX_TAG_CHARS)) ?? [];
  if (path === undefined) return undefined;
  const endIndex = lines.findIndex((line, index) => index > start && FILE_END.test(line));
  const last = endIndex < 0 ? lines.length : endIndex;
  const isFenced =
    parseFence(lines[start + 1] ?? '') !== undefined && parseFence(lines[last - 1] ?? '')?.info === '';
  const inner = isFenced ? lines.slice(start + 2, last - 1) : lines.slice(start + 1, last);
  return { info: `path=${path}`, text: inner.join('\n'), next: last + 1, closed: endIndex >= 0 };
}

const DIFF_LINE =
  /^(?:[ +\-@\\]|diff --git |index [0-9a-f]|(?:new|deleted|old) (?:file )?mode |rename |similarity |$)/u;

/**
 * Reads a patch without a fence: up to its end mark, or up to the first line that cannot be part of a diff.
 */
function readBarePatch(lines: readonly string[], start: number): BlockMatch | undefined {
  const line = lines[start] ?? '';
  const isMarked = line.startsWith('*** Begin Patch');
  const isDiff =
    line.startsWith('diff --git ') || (line.startsWith('--- ') && lines[start + 1]?.startsWith('+++ '));
  if (!isMarked && !isDiff) return undefined;
  const endIndex = lines.findIndex(
    (endLine, index) =>
      index > start && (isMarked ? endLine.startsWith('*** End Patch') : !DIFF_LINE.test(endLine)),
  );
  const next = endIndex < 0 ? lines.length : endIndex + (isMarked ? 1 : 0);
  const text = lines.slice(start, next).join('\n');
  return { info: 'diff', text, next, closed: !isMarked || endIndex >= 0 };
}

/**
 * Finds the end of a block. Fences nest in Markdown: a fence with an info opens a block, a fence without one closes it. In other languages,
 * a line that contains only a path and is followed by a fence with an info begins the next block. In this case, the closing fence was
 * forgotten, or another opening fence stands before the path.
 */
function findBlockEnd(
  lines: readonly string[],
  from: number,
  mark: string,
  mayNest: boolean,
): { end: number; next: number } | undefined {
  let depth = 0;
  for (let index = from; index < lines.length; index += 1) {
    const fence = parseFence(lines[index] ?? '');
    if (!fence || fence.mark[0] !== mark[0] || fence.mark.length < mark.length) continue;
    const { info } = fence;
    if (info !== '' && !mayNest && index > from && isBarePath(lines[index - 1] ?? ''))
      return { end: index - 1, next: index - 1 };
    if (info !== '') depth += mayNest ? 1 : 0;
    else if (depth === 0) return { end: index, next: index + 1 };
    else depth -= 1;
  }
  return undefined;
}

const removeIndent = (line: string, indent: string): string =>
  line.startsWith(indent) ? line.slice(indent.length) : line.trimStart();

/** Returns truncated code without its last part. The last part begins at the margin after a blank line. */
export function dropLastPart(code: string): string {
  const lines = code.split('\n');
  const isStart = (index: number): boolean =>
    lines[index - 1]?.trim() === '' && /^(?:\S|$)/u.test(lines[index] ?? '');
  let index = lines.length - 1;
  while (index > 0 && !isStart(index)) index -= 1;
  return index > 0 ? `${lines.slice(0, index).join('\n')}\n` : '';
}
