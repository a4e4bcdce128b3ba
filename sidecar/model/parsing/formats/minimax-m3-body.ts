/**
 * MiniMax M3: tags as in M2 with a mark before each, parameters as `<k>v</k>`; lists are `<item>` elements and
 * objects nest. Only tags with the mark count, so values may hold any other tags.
 */
import type { RawCall } from '../result.ts';
import type { Source } from '../source.ts';
import { bareName, type BodyReader } from './format.ts';
import { maxLevels } from './python-literal.ts';

export const minimaxMark = ']<]minimax[>[';

interface Element {
  tag: string;
  children: Element[];
  text: string;
}

export const minimaxM3Body: BodyReader = ({ source }, at) => {
  const { root, end, open } = readElements(source, at);
  const calls: RawCall[] = root.children.flatMap((invoke) => {
    const name = /^invoke\s+name\s*=\s*["']?([^"'>]{1,128})/.exec(invoke.tag)?.[1];
    const fields = invoke.children.map((child) => [fieldName(child.tag), valueOf(child)] as const);
    return name ? [{ name: bareName(name), arguments: Object.fromEntries(fields) }] : [];
  });
  if (open > 0 && calls.length <= 1) return { calls: [], end, problem: 'the tool call is cut off' };
  return calls.length > 0 ? { calls: open > 0 ? calls.slice(0, -1) : calls, end } : undefined;
};

/** The marked elements from `at` to the end of the block; `open` counts those that were never closed. */
function readElements(source: Source, at: number): { root: Element; end: number; open: number } {
  const root: Element = { tag: '', children: [], text: '' };
  const stack = [root];
  let position = at;
  for (;;) {
    const mark = source.find(`${minimaxMark}<`, position);
    const tagEnd = mark === -1 ? -1 : source.find('>', mark + minimaxMark.length + 1);
    const current = stack.at(-1) ?? root;
    if (tagEnd === -1) return { root, end: source.text.length, open: stack.length - 1 };
    current.text += source.text.slice(position, mark);
    position = tagEnd + 1;
    const tag = source.text.slice(mark + minimaxMark.length + 1, tagEnd);
    if (tag === '/tool_call') return { root, end: mark, open: 0 };
    if (tag.startsWith('/')) {
      if (stack.length > 1) stack.pop();
    } else if (stack.length < maxLevels) {
      const element: Element = { tag, children: [], text: '' };
      current.children.push(element);
      stack.push(element);
    }
  }
}

function valueOf({ children, text }: Element): unknown {
  if (children.length === 0) return text;
  if (children.every(({ tag }) => tag === 'item')) return children.map(valueOf);
  return Object.fromEntries(children.map((child) => [fieldName(child.tag), valueOf(child)]));
}

function fieldName(tag: string): string {
  return /^parameter\s+name\s*=\s*["']?([^"'>]*)/.exec(tag)?.[1] ?? tag.trim();
}
