/** Text from outside as a terminal, a reviewer and a page are given it. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { printable, printableLine, UNSEEN } from '../../sidecar/values/printable.ts';

test.each([
  ['a right-to-left override', 'rm \u202Efdp.txt', 'rm ‹U+202E›fdp.txt'],
  ['isolates and marks', '\u2066a\u2069\u200Fb\u061C', '‹U+2066›a‹U+2069›‹U+200F›b‹U+061C›'],
  ['letters that only machines read', 'a\u{E0041}b\u200Bc\uFEFF', 'a‹U+E0041›b‹U+200B›c‹U+FEFF›'],
  ['soft hyphens and word joiners', 'a\u00ADb\u2060', 'a‹U+00AD›b‹U+2060›'],
  ['fillers', '\u3164\u115F\u1160\uFFA0', '‹U+3164›‹U+115F›‹U+1160›‹U+FFA0›'],
  ['blanks', '\u2800\u{1D159}\u034F', '‹U+2800›‹U+1D159›‹U+034F›'],
  ['variation selectors', 'a\uFE00\uFE0F\u{E0100}', 'a‹U+FE00›‹U+FE0F›‹U+E0100›'],
  ['joiners that join nothing', 'i\u200Df(\u200C)', 'i‹U+200D›f(‹U+200C›)'],
  ['control characters', 'a\u0000b\u009Bc\u007F', 'a‹U+0000›b‹U+009B›c‹U+007F›'],
  ['escape sequences', '\u001B[8mred\u001B]x;rm\u0007', '‹U+001B›[8mred‹U+001B›]x;rm‹U+0007›'],
  ['a carriage return that hides a line', 'good\rbad', 'good‹U+000D›bad'],
  ['other line ends', 'a\u2028b\u2029c\u0085', 'a‹U+2028›b‹U+2029›c‹U+0085›'],
])('%s are spelled out', (_name, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test.each([
  ['line ends and tabs', 'a\r\n\tb\n'],
  ['joined emoji and their colours', '\u{1F469}\u{1F3FD}\u200D\u{1F4BB} \u2764\uFE0F'],
  ['joiners of scripts that need them', 'می\u200Cخواهم क्\u200Dष'],
])('%s stay', (_name, text) => {
  expect(printable(text)).toBe(text);
});

test('a line has no line ends and is cut', () => {
  expect(printableLine(' a\n\tb\u202E ', 20)).toBe('a b‹U+202E›');
  expect(printableLine('abcdef', 4)).toBe('abc…');
});

test('the dashboard has the same list', () => {
  const page = readFileSync('sidecar/hub/dashboard/page/dom.js', 'utf8');
  expect(page).toContain(`${UNSEEN};`);
});
