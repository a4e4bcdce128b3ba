/** What around a call says that it is only quoted: one case for each sign, and one that comes close to it. */
import { describe, expect, test } from '@jest/globals';
import { quotedCalls } from '../../../sidecar/model/parsing/quotation.ts';

/** For each CALL in a text, whether it is made. */
function made(text: string, { bare = true, removed = [] as { start: number; end: number }[] } = {}) {
  const found = [...text.matchAll(/CALL/g)].map(({ index }) => ({ start: index, end: index + 4, bare }));
  const quoted = quotedCalls(text, found, removed);
  return found.map((call) => !quoted.has(call));
}
const long = 'x'.repeat(200);

describe('a call is made', () => {
  test.each([
    'CALL',
    ' CALL ',
    'Now: CALL',
    'CALL\n\nI will wait.',
    `CALL\nThen I ${'x'.repeat(159)}`,
    '```json\nCALL\n```',
    '```JSON\nCALL\n```\nThen I will wait',
    '[CALL\nThen, I will wait.',
    '```python\nCALL\n```',
    '```python\nx = 1\n```\nCALL',
    '~~~python\nx = 1\n~~~\nCALL',
    '`a` CALL',
    '```ts``` CALL',
    'It is so...\n\nI look. CALL',
    '>>> CALL',
    'let me CALL',
    'let’s CALL',
    'For example. Now CALL',
    '1. Now: CALL',
    'I will take it from the log: CALL',
    'It called:\n\nIt is so.\nCALL',
    'So <!-- a --> CALL',
    '<code>CALL',
    '<answer>CALL</answer>',
    '<code>a</code> CALL',
    'CALL</s>',
    'CALL. Done.',
  ])('in %j', (text) => expect(made(text)).toEqual([true]));

  test.each(['f("CALL', 'f(CALL', 'CALL is it, I think.', 'Now CALL I will wait.'])(
    'in %j, where it has marks',
    (text) => {
      expect(made(text)).toEqual([false]);
      expect(made(text, { bare: false })).toEqual([true]);
    },
  );
});

describe('a call is quoted', () => {
  test.each([
    'CALL is it.',
    'Now: CALL\n\nI will wait.',
    `CALL\nThen I ${'x'.repeat(160)}`,
    `${long}x\n\nCALL\n\nI will wait.`,
    '```diff\nCALL\n```',
    'So:\n```python\nCALL\n```',
    '```python\nx = 1\nCALL\n```',
    `\`\`\`python ${long}\nCALL\n\`\`\``,
    'So:\n~~~python\nCALL\n~~~',
    '\n ~~~python\nCALL\n~~~',
    '```python\n~~~\nCALL\n```',
    'Then ... CALL',
    'Then … CALL',
    'Then ... [CALL',
    'It goes on:\n...\nCALL',
    'It goes on:\n [...] \n\nCALL',
    '…\nCALL',
    'x = CALL',
    'x <- CALL',
    'a.b-c => CALL',
    '2024-01-02 CALL',
    '[12:30 CALL',
    '[info CALL',
    'Warning CALL',
    'user: CALL',
    'Result : CALL',
    '| CALL',
    '> CALL',
    '// CALL',
    '# CALL',
    '* CALL',
    '/* CALL',
    '<!-- CALL',
    '$ CALL',
    'const a CALL',
    'let a CALL',
    'return CALL',
    'For example: CALL',
    'For example:\n\nCALL',
    'For example:\n```json\nCALL\n```',
    'For example [CALL',
    '1. It ran: CALL',
    '- I want what it ran: CALL',
    '12) I will say what ran: CALL',
    'It stands in the log: CALL',
    'It called: CALL',
    'It called. CALL',
    'It is. It called: CALL',
    '`CALL`',
    '`a` and `CALL`',
    '<code>CALL</code>',
    '<code>\n CALL</code>',
    '<p class="a"> It says: CALL</p>',
  ])('in %j', (text) => expect(made(text)).toEqual([false]));
});

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
