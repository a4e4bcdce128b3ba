import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  MAX_REPAIR_BYTES,
  MAX_REPAIR_LEVELS,
  parseOrRepair,
  repairJson,
} from '../../sidecar/values/repair-json.ts';

/** Broken at its end by a comma too many. */
const nested = (levels: number): string => `${'['.repeat(levels)}1,${']'.repeat(levels)}`;
const broken = (content: string): string => `{"a": "${content}",}`;

describe('JSON of a model', () => {
  test('is read as it is where it is right, whatever its size and depth', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseOrRepair(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
      }),
    );
    expect(parseOrRepair(nested(1000).replace(',', ''))).toMatchObject({ ok: true });
    expect(parseOrRepair(JSON.stringify('x'.repeat(MAX_REPAIR_BYTES)))).toMatchObject({ ok: true });
  });

  test.each([
    ["{'a': 1}", { a: 1 }],
    ['{"a": [1, 2,],}', { a: [1, 2] }],
    ['{a: 1 /* one */}', { a: 1 }],
    ['{"a": "one\ntwo"}', { a: 'one\ntwo' }],
    ['{"a": [{"b": "cut o', { a: [{ b: 'cut o' }] }],
    [String.raw`{"a": "\d+\s*\(\.js"}`, { a: String.raw`\d+\s*\(\.js` }],
    [String.raw`{"a": "C:\Users\x", "b": "\n\\d\"\u0041",}`, { a: String.raw`C:\Users\x`, b: '\n\\d"A' }],
    [String.raw`{"a\_b": "it\'s"}`, { a_b: "it's" }],
  ])('%j is mended', (text, value) => expect(parseOrRepair(text)).toEqual({ ok: true, value }));

  test('is mended up to 32 KiB, which are bytes', () => {
    const room = MAX_REPAIR_BYTES - broken('').length;
    expect(repairJson(broken('x'.repeat(room)))).toMatchObject({ ok: true });
    const refused = { ok: false, reason: 'the JSON is broken and larger than 32768 bytes' };
    expect(repairJson(broken('x'.repeat(room + 1)))).toEqual(refused);
    expect(repairJson(broken('ü'.repeat(room - 1)))).toEqual(refused);
  });

  test('is mended up to 64 levels', () => {
    expect(repairJson(nested(MAX_REPAIR_LEVELS))).toMatchObject({ ok: true });
    expect(repairJson(nested(MAX_REPAIR_LEVELS + 1))).toEqual({
      ok: false,
      reason: 'the JSON is broken and nested deeper than 64 levels',
    });
  });

  test('that cannot be mended is told with what is wrong', () => {
    const read = parseOrRepair('{"a": }}} "b"');
    expect(read).toMatchObject({ ok: false });
    expect(!read.ok && read.reason).toMatch(/^the JSON cannot be read: ./u);
  });
});
