/** Text from outside as a terminal is given it. */
import { expect, test } from '@jest/globals';
import { printable, spelledOut } from '../../sidecar/values/printable.ts';

test.each([
  ['a right-to-left override', 'rm \u202Efdp.txt', 'rm ‹U+202E›fdp.txt'],
  ['isolates and marks', '\u2066a\u2069\u200Fb\u061C', '‹U+2066›a‹U+2069›‹U+200F›b‹U+061C›'],
  ['characters that are not seen', 'a\u200Bb\uFEFFc\u2060d\u00ADe\u{E0041}f', 'abcdef'],
  ['control characters', 'a\u0000b\u0007c\u009Bd\u007F\r', 'abcd'],
  ['escape sequences', '\u001B[31mred\u001B]0;title\u0007', 'red'],
  [
    'line breaks, tabs and joined emoji',
    'a\n\tb \u{1F469}\u200D\u{1F4BB}',
    'a\n\tb \u{1F469}\u200D\u{1F4BB}',
  ],
])('%s', (_name, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test.each([
  ['escape sequences and controls', '\u001B[8mhidden\u0000', '‹U+001B›[8mhidden‹U+0000›'],
  ['letters that only machines read', 'a\u{E0041}b\u200B', 'a‹U+E0041›b‹U+200B›'],
  ['a carriage return that hides a line', 'good\rbad', 'good‹U+000D›bad'],
  ['line ends and tabs', 'a\r\n\tb\n', 'a\r\n\tb\n'],
])('%s are spelled out for a reviewer', (_name, text, shown) => {
  expect(spelledOut(text)).toBe(shown);
});
