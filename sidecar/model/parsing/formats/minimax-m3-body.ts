/**
 * MiniMax M3: tags as in M2 with a mark before each, parameters as `<k>v</k>`; lists are `<item>` elements and
 * objects nest. Only tags with the mark count, so values may hold any other tags.
 */
import type { RawCall } from '../result.ts';
import type { Source } from '../source.ts';
import { elementAdvice } from './element.ts';
import { bareName, type BodyReader } from './format.ts';
import { tracesOf } from './json-body.ts';
import { maxLevels } from './python-literal.ts';

export const minimaxMark = ']<]minimax[>[';

const closers = [`${minimaxMark}</`];

interface Element {
  tag: string;
  children: Element[];
  text: string;
}

export const minimaxM3Body: BodyReader = ({ source }, at) => {
  const { root, end, open, isMixed } = readElements(source, at);
  const uncertain = isMixed ? `the tags inside a value do not fit together. ${elementAdvice}` : undefined;
  const calls: RawCall[] = root.children.flatMap((invoke) => {
    const name = /^invoke\s+name\s*=\s*["']?([^"'>]{1,128})/.exec(invoke.tag)?.[1];
    const fields = invoke.children.map((child) => [fieldName(child.tag), valueOf(child)] as const);
    return name
      ? [
          {
            name: bareName(name),
            arguments: Object.fromEntries(fields),
            isText: true,
            ...tracesOf({ uncertain }),
          },
        ]
      : [];
  });
  if (open > 0 && calls.length <= 1) return { calls: [], end, problem: 'the tool call is cut off' };
  return calls.length > 0 ? { calls: open > 0 ? calls.slice(0, -1) : calls, end, closers } : undefined;
};

interface Elements {
  root: Element;
  end: number;
  /** Those that were never closed. */
  open: number;
  /** A closing tag was another element's, or text stands beside elements. */
  isMixed: boolean;
}

/** The marked elements from `at` to the end of the block. */
function readElements(source: Source, at: number): Elements {
  let isMixed = false;
  const root: Element = { tag: '', children: [], text: '' };
  const stack = [root];
  let position = at;
  for (;;) {
    const mark = source.find(`${minimaxMark}<`, position);
    const tagEnd = mark === -1 ? -1 : source.find('>', mark + minimaxMark.length + 1);
    const current = stack.at(-1) ?? root;
    if (tagEnd === -1) return { root, end: source.text.length, open: stack.length - 1, isMixed };
    current.text += source.text.slice(position, mark);
    position = tagEnd + 1;
    const tag = source.text.slice(mark + minimaxMark.length + 1, tagEnd);
    if (tag === '/tool_call') return { root, end: mark, open: 0, isMixed: isMixed || stack.length > 1 };
    if (tag.startsWith('/')) {
      isMixed ||= !isClosedBy(current, tag);
      if (stack.length > 1) stack.pop();
    } else if (stack.length < maxLevels) {
      const element: Element = { tag, children: [], text: '' };
      current.children.push(element);
      stack.push(element);
    }
  }
}

function isClosedBy({ tag, children, text }: Element, closing: string): boolean {
  const hasTextToo = children.length > 0 && text.trim() !== '';
  return closing.slice(1).trim() === (/^[\w.-]+/.exec(tag)?.[0] ?? tag) && !hasTextToo;
}

function valueOf({ children, text }: Element): unknown {
  if (children.length === 0) return text;
  if (children.every(({ tag }) => tag === 'item')) return children.map(valueOf);
  return Object.fromEntries(children.map((child) => [fieldName(child.tag), valueOf(child)]));
}

function fieldName(tag: string): string {
  return /^parameter\s+name\s*=\s*["']?([^"'>]*)/.exec(tag)?.[1] ?? tag.trim();
}
