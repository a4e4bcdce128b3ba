import { describe, expect, test } from '@jest/globals';
import { verdictOf } from '../../../sidecar/execution/drafts/tell-draft.ts';

describe('a change that was tried before', () => {
  const files = [{ path: 'a.js', before: 'a < 1\n', after: 'a <= 1\n' }];
  const verdict = (sameAs: number) => verdictOf({ number: 3, files, reason: '', answer: '', sameAs });

  test('is told with the draft that made it', () =>
    expect(verdict(2)).toBe('+1 −1 in a.js; the same as draft 2'));

  test('names no draft where the program made it by itself, for that has no number', () =>
    expect(verdict(0)).toBe('+1 −1 in a.js; a change that was tried before'));
});
