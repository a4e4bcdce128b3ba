import { expect, test } from '@jest/globals';
import { verdictOf } from '../../sidecar/drafts/draft-events.ts';

test('a change that was tried before is told with the draft that made it', () => {
  const files = [{ path: 'a.js', before: 'a < 1\n', after: 'a <= 1\n' }];
  expect(verdictOf({ number: 3, files, reason: '', answer: '', sameAs: 2 })).toBe(
    '+1 −1 in a.js; the same as draft 2',
  );
});
