/** Which of several calls are only quoted, and where the places of calls and of thinking decide it. */
import { describe, expect, test } from '@jest/globals';
import { quotedCalls } from '../../../sidecar/model/parsing/quotation.ts';

/** For each CALL in a text, whether it is made. */
function made(text: string, { bare = true, removed = [] as { start: number; end: number }[] } = {}) {
  const found = [...text.matchAll(/CALL/g)].map(({ index }) => ({ start: index, end: index + 4, bare }));
  const quoted = quotedCalls(text, found, removed);
  return found.map((call) => !quoted.has(call));
}

test.each(['f("CALL', 'f(CALL', 'CALL is it, I think.', 'Now CALL I will wait.'])(
  'a call is made in %j where it has marks',
  (text) => {
    expect(made(text)).toEqual([false]);
    expect(made(text, { bare: false })).toEqual([true]);
  },
);

describe('of several calls', () => {
  test.each<[string, boolean[]]>([
    ['CALL CALL', [true, true]],
    ['CALL, and then CALL', [true, true]],
    ['CALL\n```\n```json\nCALL', [true, true]],
    ['CALL is it. CALL', [false, true]],
    ['CALL is it, CALL', [false, false]],
    ['CALL CALL is it.', [false, false]],
    ['CALL CALL\n\nI will wait.', [false, false]],
    ['CALL I will wait. CALL', [true, true]],
    ['Now CALL I will wait. CALL', [false, true]],
    ['`CALL` CALL', [false, true]],
    ['CALL `CALL`', [false, false]],
    ['For example CALL CALL', [false, false]],
    ['```python\nCALL\nCALL\n```', [false, false]],
  ])('%j', (text, expected) => expect(made(text)).toEqual(expected));

  test('thinking between them says nothing, up to 20 000 characters and 100 times', () => {
    const between = (size: number, pieces = 1) => {
      const text = `CALL${'t'.repeat(size)}CALL`;
      const removed = Array.from({ length: pieces }, (_, i) => ({
        start: i === 0 ? 4 : 4 + size,
        end: 4 + size,
      }));
      return made(text, { removed });
    };
    expect(between(20_000)).toEqual([true, true]);
    expect(between(20_001)).toEqual([false, true]);
    expect(between(10, 100)).toEqual([true, true]);
    expect(between(10, 101)).toEqual([false, true]);
  });
});

test('a fence is read outside of calls only', () => {
  const text = 'CALL ```python CALL';
  const found = [
    { start: 0, end: 14, bare: false },
    { start: 15, end: 19, bare: false },
  ];
  expect(quotedCalls(text, found).size).toBe(0);
});
