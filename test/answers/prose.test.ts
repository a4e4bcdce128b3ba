import { describe, expect, test } from '@jest/globals';
import { isBlank, proseBeforeCall, trimProse, visibleText } from '../../sidecar/answers/prose.ts';

describe('the prose of an answer', () => {
  test.each<[[number, number][], number, number, string]>([
    [[], 0, 6, 'abcdef'],
    [[], 2, 2, ''],
    [
      [
        [1, 2],
        [4, 5],
      ],
      0,
      6,
      'acdf',
    ],
    [
      [
        [0, 2],
        [2, 6],
      ],
      0,
      6,
      '',
    ],
    [
      [
        [0, 2],
        [4, 6],
      ],
      1,
      5,
      'cd',
    ],
    [
      [
        [1, 5],
        [2, 3],
      ],
      0,
      6,
      'af',
    ],
    [
      [
        [0, 1],
        [5, 6],
      ],
      1,
      5,
      'bcde',
    ],
  ])('without the spans %j, from %i to %i', (spans, from, to, left) => {
    const removed = spans.map(([start, end]) => ({ start, end }));
    expect(visibleText('abcdef', removed, from, to)).toBe(left);
  });

  test.each([
    ['  Done. ', 'Done.'],
    ['<|start|>assistant<|channel|>final<|message|> Done.<|return|>', 'Done.'],
    ['</s>', ''],
    ['</s> </s> x </s> <|im_end|> </s>', 'x'],
    ['>>>all\nDone.', 'Done.'],
    ['a </s> b', 'a </s> b'],
  ])('without marks of templates at its ends: %j', (text, trimmed) => expect(trimProse(text)).toBe(trimmed));

  test.each([
    ['I look:\n```json\n', 'I look:'],
    ['I look:\n[ ', 'I look:'],
    ['I look:\n```tool_call\n[', 'I look:'],
    ['See a[0] and ', 'See a[0] and'],
    ['```ts\nx\n```', '```ts\nx'],
  ])('before a call, without what opens it: %j', (text, prose) => expect(proseBeforeCall(text)).toBe(prose));

  test.each([
    ['', true],
    [' \n[ ],;', true],
    ['```json\n[', true],
    ['``` ,;', true],
    ['</s>', true],
    ['x', false],
    ['```json x', false],
    ['; ok', false],
    [','.repeat(999), true],
    [','.repeat(1001), false],
  ])('%j says nothing: %s', (text, blank) => expect(isBlank(text)).toBe(blank));
});
