/**
 * MiniMax M3: tags as in M2 with a mark before each, parameters as `<k>v</k>`; lists are `<item>` elements and objects
 * nest. Only tags with the mark count, so values may hold any other tags.
 */
import { elementAdvice, type RawCall } from '../result.ts';
import { tracesOf } from '../value.ts';
import type { Source } from '../source.ts';
import type { Body } from './body.ts';

export const minimaxMark = ']<]minimax[>[';
const maxLevels = 64;

interface Element {
  tag: string;
  children: Element[];
  text: string;
}

export const minimaxM3Body: Body = ({ source }, at) => {
  const { root, end, isOpen, isMixed } = readElements(source, at);
  const doubt = isMixed ? `the tags inside a value do not fit together. ${elementAdvice}` : undefined;
  const whole = isOpen ? root.children.slice(0, -1) : root.children;
  const calls = whole.flatMap((invoke): RawCall[] => {
    const name = /^invoke\s+name\s*=\s*["']?([^"'>]{1,128})/.exec(invoke.tag)?.[1];
    if (name === undefined) return [];
    return [{ name, arguments: fieldsOf(invoke), isText: true, ...tracesOf({ doubt }) }];
  });
  const closers = [`${minimaxMark}</`];
  if (isOpen) return { calls, end, closers, problem: 'the tool call is cut off' };
  return calls.length > 0 ? { calls, end, closers } : undefined;
};

/** The marked elements from `at` to the end of the block; the last one may be open. */
function readElements(source: Source, at: number) {
  const root: Element = { tag: '', children: [], text: '' };
  const stack = [root];
  let isMixed = false;
  for (let position = at; ;) {
    const mark = source.find(`${minimaxMark}<`, position);
    const tagEnd = mark === -1 ? -1 : source.find('>', mark + minimaxMark.length + 1);
    const current = stack.at(-1) ?? root;
    if (tagEnd === -1) return { root, end: source.text.length, isOpen: stack.length > 1, isMixed };
    current.text += source.text.slice(position, mark);
    position = tagEnd + 1;
    const tag = source.text.slice(mark + minimaxMark.length + 1, tagEnd);
    // Another block begins.
    if (tag === 'tool_call') return { root, end: mark, isOpen: stack.length > 1, isMixed };
    if (tag === '/tool_call') return { root, end: mark, isOpen: false, isMixed: isMixed || stack.length > 1 };
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

/** Whether `closing` closes the element, which holds text or elements, not both. */
function isClosedBy({ tag, children, text }: Element, closing: string): boolean {
  const hasBoth = children.length > 0 && text.trim() !== '';
  return closing.slice(1).trim() === (/^[\w.-]+/.exec(tag)?.[0] ?? tag) && !hasBoth;
}

function valueOf(element: Element): unknown {
  const { children, text } = element;
  if (children.length === 0) return text;
  return children.every(({ tag }) => tag === 'item') ? children.map(valueOf) : fieldsOf(element);
}

const fieldsOf = ({ children }: Element): Record<string, unknown> =>
  Object.fromEntries(
    children.map((child) => [
      /^parameter\s+name\s*=\s*["']?([^"'>]*)/.exec(child.tag)?.[1] ?? child.tag.trim(),
      valueOf(child),
    ]),
  );
