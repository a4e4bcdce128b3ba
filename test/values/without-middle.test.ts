import { expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import { withoutMiddle } from '../../sidecar/values/without-middle.ts';

test('a text that fits stays as it is', () => {
  expect(withoutMiddle('as it is', 8)).toBe('as it is');
});

test('of a longer one both ends stay, in whole lines, and what is missing is said', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
  expect(withoutMiddle(lines, 40)).toBe(
    'line 0\nline 1\nline 2\n[… 754 characters left out …]\nline 98\nline 99',
  );
  expect(withoutMiddle('x'.repeat(5_000), 4)).toBe('xx\n[… 4996 characters left out …]\nxx');
});

test('no more of any text stays than is wanted, and the count is right', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 500, unit: fc.constantFrom('a', '\n', ' ') }),
      fc.nat(600),
      (text, most) => {
        const cut = withoutMiddle(text, most);
        const [note = '', count] = /\n\[… (\d+) characters left out …\]\n/u.exec(cut) ?? [];
        expect(cut.length - note.length + Number(count ?? 0)).toBe(text.length);
        expect(cut.length - note.length).toBeLessThanOrEqual(most);
      },
    ),
  );
});
