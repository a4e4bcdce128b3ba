/** The code blocks of an answer in Markdown, with what is said before each. Linear in the answer's length. */
import { isBarePath } from './block-path.ts';
import type { AnswerBlock } from './types.ts';

/** The language or kind that stands behind a fence, in lower case; empty where nothing does. */
export const kindOf = (info: string): string => info.toLowerCase().split(/[\s:,{]/, 1)[0] ?? '';

const FENCE = /^(\s*)(`{3,}|~{3,}(?!~))([^`]*)$/;
const MARKDOWN = /^(markdown|md|mdx)\b/i;

function fenceOf(line: string): { indent: string; mark: string; info: string } | undefined {
  const [, indent = '', mark, info = ''] = FENCE.exec(line) ?? [];
  return mark === undefined ? undefined : { indent, mark, info: info.trim() };
}

export function readBlocks(answer: string): AnswerBlock[] {
  const lines = answer.replaceAll('\r\n', '\n').split('\n');
  const blocks: AnswerBlock[] = [];
  let prose: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const fence = fenceOf(line);
    if (!fence) {
      prose.push(line);
      continue;
    }
    const { indent, mark, info } = fence;
    const found = endOfBlock(lines, at + 1, mark, MARKDOWN.test(info));
    const { end, next } = found ?? { end: lines.length, next: lines.length };
    const inner = lines.slice(at + 1, end).map((each) => withoutIndent(each, indent));
    blocks.push({ info, text: inner.join('\n'), before: prose.join('\n'), closed: found !== undefined });
    prose = [];
    at = next - 1;
  }
  return blocks;
}

/**
 * Where a block ends and where reading goes on. A text in Markdown may hold fences of its own: those with an info open,
 * those without close. In other languages a path alone on its line, and then a fence with an info, begin the next block:
 * the fence that closes was forgotten, or the one that opens stands before the path as well.
 */
function endOfBlock(
  lines: readonly string[],
  from: number,
  mark: string,
  nests: boolean,
): { end: number; next: number } | undefined {
  let depth = 0;
  for (let at = from; at < lines.length; at += 1) {
    const fence = fenceOf(lines[at] ?? '');
    if (!fence || fence.mark[0] !== mark[0] || fence.mark.length < mark.length) continue;
    const { info } = fence;
    if (info !== '' && !nests && at > from && isBarePath(lines[at - 1] ?? ''))
      return { end: at - 1, next: at - 1 };
    if (info !== '') depth += nests ? 1 : 0;
    else if (depth === 0) return { end: at, next: at + 1 };
    else depth -= 1;
  }
  return undefined;
}

const withoutIndent = (line: string, indent: string): string =>
  line.startsWith(indent) ? line.slice(indent.length) : line.trimStart();
