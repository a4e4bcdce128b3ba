/** Values as models write them: what is exact, what is relaxed, what would be a guess. */
import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import { MAX_LEVELS, readLiteral, readWholeLiteral } from '../../sidecar/values/literal.ts';

const json = (text: string) => readWholeLiteral(text);
const python = (text: string) => readWholeLiteral(text, { syntax: 'python' });

describe('JSON', () => {
  test('is exact and the same as JSON.parse has it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(json(text)).toEqual({ ok: true, value: JSON.parse(text), end: text.length, grade: 'exact' });
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
  ])('%j is relaxed', (text, value) =>
    expect(json(text)).toMatchObject({ ok: true, value, grade: 'relaxed' }),
  );

  test.each([
    ['{"a": "b "c" d", "e": 1}', { a: 'b "c" d', e: 1 }],
    ['{"a": "b" "c": 1}', { a: 'b', c: 1 }],
    ['{"a": """b \\d"""}', { a: 'b \\d' }],
  ])('%j is a guess', (text, value) => {
    expect(json(text).ok).toBe(false);
    expect(readWholeLiteral(text, { guess: true })).toMatchObject({ ok: true, value, grade: 'guessed' });
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
    expect(readWholeLiteral('{"a": "b', { guess: true })).toMatchObject({ ok: false, isOpen: true });
  });

  test('nests up to a limit', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
    expect(json(nested(MAX_LEVELS)).ok).toBe(true);
    expect(json(nested(MAX_LEVELS + 1))).toMatchObject({
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
    expect(python(text)).toEqual({ ok: true, value, end: text.length, grade: 'exact' }),
  );
  test.each(["{1, 'b': 2}", '12z', '1e999', 'foo', "'x", '[1 2]'])('%s is refused', (text) =>
    expect(python(text).ok).toBe(false),
  );
});
