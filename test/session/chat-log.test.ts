import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import { chatTypes, formatEntry, formatToolCall, parseChatLog } from '../../sidecar/session/chat-log.ts';
import { scaled } from '../support/scale.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.oneof(fc.constantFrom('\n', '\r\n', '  ', '[2026-01-07T10:23:21.000Z] USER: x', ': '), fc.string()),
    )
    .map((parts) => parts.join('')),
);
const anyEntry = fc.record({
  atMs: fc.integer({ min: 0, max: Date.parse('2100-01-01T00:00:00Z') }),
  type: fc.constantFrom(...chatTypes),
  text: anyText,
});

describe('the chat history', () => {
  test('is one line an entry, further lines of a text indented', () => {
    const atMs = Date.parse('2026-01-07T10:23:21.000Z');
    expect(
      formatEntry({ atMs, type: 'USER', text: 'Fix it.\n\nSoon.' }) +
        formatEntry({ atMs, type: 'TOOL_CALL', text: formatToolCall('read_file', { file_path: 'a' }) }),
    ).toBe(
      '[2026-01-07T10:23:21.000Z] USER: Fix it.\n  \n  Soon.\n[2026-01-07T10:23:21.000Z] TOOL_CALL: read_file({"file_path":"a"})\n',
    );
  });

  test('reads back as it was written, whatever the texts', () => {
    fc.assert(
      fc.property(fc.array(anyEntry), (entries) => {
        const read = parseChatLog(entries.map(formatEntry).join(''));
        expect(read).toEqual(entries.map((entry) => ({ ...entry })));
      }),
      { numRuns: scaled({ quick: 500, full: 5_000 }) },
    );
  });

  test('gives what it has when it was cut off', () => {
    expect(parseChatLog('[2026-01-07T10:23:21.000Z] AGENT: half a sen')).toEqual([
      { atMs: Date.parse('2026-01-07T10:23:21.000Z'), type: 'AGENT', text: 'half a sen' },
    ]);
    expect(parseChatLog('garbage\n')).toEqual([]);
  });
});
