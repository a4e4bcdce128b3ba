import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { MAX_NESTING_LEVELS, readLiteral, readWholeLiteral } from '../../../sidecar/base/values/literal.ts';
import {
  toPrintable,
  toPrintableLine,
  INVISIBLE_CHARACTERS,
} from '../../../sidecar/base/values/printable.ts';
import { removeMiddle } from '../../../sidecar/base/values/remove-middle.ts';
import * as fc from '../../support/properties.ts';

/** Values as models write them: what is exact, what is relaxed, what would be a guess. */
const json = (text: string) => readWholeLiteral(text);
const python = (text: string) => readWholeLiteral(text, { syntax: 'python' });

describe('JSON', () => {
  test('is exact and the same as JSON.parse has it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(json(text)).toEqual({ ok: true, value: JSON.parse(text), end: text.length, isExact: true });
      }),
    );
  });

  test.each([
    ["{'a': 1}", { a: 1 }],
    ['{"a": [1, 2,],}', { a: [1, 2] }],
    ['{a: 1 /* one */}', { a: 1 }],
    ['{"a": "one\ntwo"}', { a: 'one\ntwo' }],
    ['{"a": [{"b": "c"', { a: [{ b: 'c' }] }],
    ['{"a": (1, "b"), "c": None, "d": True}', { a: [1, 'b'], c: null, d: true }],
    ['{“a”: “b "c"”}', { a: 'b "c"' }],
    ['{"a": """b "c"\nd"""}', { a: 'b "c"\nd' }],
    ['{"a": `b`, // c\n"d": \'e\'}', { a: 'b', d: 'e' }],
    [String.raw`{"a": "\d+\s*\(\.js"}`, { a: String.raw`\d+\s*\(\.js` }],
    [String.raw`{"a": "C:\Users\x", "b": "\n\\d\"\u0041",}`, { a: String.raw`C:\Users\x`, b: '\n\\d"A' }],
    [String.raw`{"a\_b": "it\'s"}`, { a_b: "it's" }],
  ])('%j is relaxed', (text, value) => expect(json(text)).toMatchObject({ ok: true, value, isExact: false }));

  test.each([
    ['{"a": "b "c" d", "e": 1}', { a: 'b "c" d', e: 1 }],
    ['{"a": "b" "c": 1}', { a: 'b', c: 1 }],
    ['{"a": """b \\d"""}', { a: 'b \\d' }],
  ])('%j is a guess', (text, value) => {
    expect(json(text).ok).toBe(false);
    expect(readWholeLiteral(text, { mayGuess: true })).toMatchObject({ ok: true, value, isExact: false });
  });

  test.each([
    ['{"a": "cut o', 'cut off'],
    ['{"a": "b" "c"}', 'not escaped'],
    ['{"a": ls -la}', 'the value ls has no quotes'],
    ['{"a" 1}', 'a colon is missing after "a"'],
    ["{'a': 1, 'a': 2}", '"a" is given twice'],
    ['{"a": 1} b', 'text after the JSON'],
    ['{"a": ', 'cut off'],
    ['{"a": }', 'a value is missing'],
    ['[1, {2}]', 'a key is missing'],
  ])('%j is refused, with what is wrong', (text, reason) => {
    const read = json(text);
    expect(!read.ok && read.reason).toContain(reason);
  });

  test('is never completed inside of a string, not even as a guess', () => {
    expect(readWholeLiteral('{"a": "b', { mayGuess: true })).toMatchObject({ ok: false, isOpen: true });
  });

  test('nests up to a limit', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
    expect(json(nested(MAX_NESTING_LEVELS)).ok).toBe(true);
    expect(json(nested(MAX_NESTING_LEVELS + 1))).toMatchObject({
      ok: false,
      reason: 'it is nested deeper than 100 levels',
    });
  });

  test('ends at a mark where its brackets were left out', () => {
    const text = '{"a": [1, 2</call> and more';
    expect(readLiteral(text, 0, { marks: ['</call>'] })).toMatchObject({
      ok: true,
      value: { a: [1, 2] },
      end: text.indexOf('</call>'),
    });
  });

  test('keeps keys that mean something to JavaScript as plain ones', () => {
    const read = json('{"__proto__": {"a": 1}}');
    expect(read.ok && Object.keys(read.value as object)).toEqual(['__proto__']);
  });
});

describe('Python', () => {
  test.each([
    ["{'k': 1, 2: [3]}", { k: 1, 2: [3] }],
    ['{1, 2}', [1, 2]],
    ['(1, 2,)', [1, 2]],
    [`'a' "b"`, 'ab'],
    ["r'\\n'", '\\n'],
    ["'''l1\nl2'''", 'l1\nl2'],
    ["'\\x41\\u00e9\\U0001F600\\101\\q'", 'Aé😀A\\q'],
    ['[0x1F, 1_000, -1.5e3, .5, +1]', [31, 1000, -1500, 0.5, 1]],
    ['[True, False, None, true, null]', [true, false, null, true, null]],
  ])('%s is exact', (text, value) =>
    expect(python(text)).toEqual({ ok: true, value, end: text.length, isExact: true }),
  );
  test.each(["{1, 'b': 2}", '12z', '1e999', 'foo', "'x", '[1 2]'])('%s is refused', (text) =>
    expect(python(text).ok).toBe(false),
  );
});

/** Text from outside as a terminal, a reviewer and a page are given it. */
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
  expect(toPrintable(text)).toBe(shown);
});

test.each([
  ['line ends and tabs', 'a\r\n\tb\n'],
  ['joined emoji and their colours', '\u{1F469}\u{1F3FD}\u200D\u{1F4BB} \u2764\uFE0F'],
  ['joiners of scripts that need them', 'می\u200Cخواهم क्\u200Dष'],
])('%s stay', (_name, text) => {
  expect(toPrintable(text)).toBe(text);
});

test('a line has no line ends and is cut', () => {
  expect(toPrintableLine(' a\n\tb\u202E ', 20)).toBe('a b‹U+202E›');
  expect(toPrintableLine('abcdef', 4)).toBe('abc…');
});

test('the dashboard has the same list', () => {
  const page = readFileSync('sidecar/hub/dashboard/page/dom.js', 'utf8');
  expect(page).toContain(`${INVISIBLE_CHARACTERS};`);
});

test('a text that fits stays as it is', () => {
  expect(removeMiddle('as it is', 8)).toBe('as it is');
});

test('of a longer one both ends stay, in whole lines, and what is missing is said', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
  expect(removeMiddle(lines, 40)).toBe(
    'line 0\nline 1\nline 2\n[… 754 characters omitted …]\nline 98\nline 99',
  );
  expect(removeMiddle('x'.repeat(5_000), 4)).toBe('xx\n[… 4996 characters omitted …]\nxx');
});

test('no more of any text stays than is wanted, and the count is right', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 500, unit: fc.constantFrom('a', '\n', ' ') }),
      fc.nat(600),
      (text, most) => {
        const cut = removeMiddle(text, most);
        const [note = '', count] = /\n\[… (\d+) characters omitted …\]\n/u.exec(cut) ?? [];
        expect(cut.length - note.length + Number(count ?? 0)).toBe(text.length);
        expect(cut.length - note.length).toBeLessThanOrEqual(most);
      },
    ),
  );
});
