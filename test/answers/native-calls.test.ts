/** Calls that the server has read itself. */
import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { names, native, oneCall, readJson } from './reading.ts';

test('arguments nested 3 000 deep are refused, not followed', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`) as unknown;
  expect(parseToolCalls(native(deep))).toMatchObject({
    type: 'malformed',
    reason: expect.stringMatching(/deeper than 100/),
  });
});

describe('layer 1: native calls', () => {
  test('go before anything in the content', () => {
    const answer = parseToolCalls({ ...native({ command: 'ls' }), content: `Hm. ${readJson}` });
    expect(answer).toEqual({
      type: 'tool_calls',
      layer: 'native',
      calls: [{ name: 'shell', arguments: { command: 'ls' } }],
      content: `Hm. ${readJson}`,
    });
  });
  test.each<[string, unknown, unknown]>([
    ['an object', { command: 'ls' }, { command: 'ls' }],
    ['JSON text', '{"command": "ls"}', { command: 'ls' }],
    ['text encoded twice', '"{\\"command\\": \\"ls\\"}"', { command: 'ls' }],
    ['missing', undefined, {}],
    ['null', null, {}],
    ['the text null', 'null', {}],
    ['empty text', '', {}],
    ['an empty list', [], {}],
    ['values typed by the schema', { timeout_ms: '5000' }, { timeout_ms: 5000 }],
  ])('arguments: %s', (_title, args, wanted) => expect(oneCall(native(args))?.arguments).toEqual(wanted));
  test('nearly right JSON text is repaired and marked', () =>
    expect(oneCall(native("{'command': 'ls',}"))).toEqual({
      name: 'shell',
      arguments: { command: 'ls' },
      repaired: true,
    }));
  test('text that is not JSON stays text, and the other calls of the round with it', () => {
    const answer = parseToolCalls({
      tool_calls: [
        { id: 'a', function: { name: 'shell', arguments: 'ls -la' } },
        { id: 'b', function: { name: 'read_file', arguments: { file_path: 'a' } } },
      ],
    });
    expect(answer).toMatchObject({
      type: 'tool_calls',
      calls: [
        { id: 'a', name: 'shell', arguments: 'ls -la' },
        { id: 'b', name: 'read_file', arguments: { file_path: 'a' } },
      ],
    });
  });
  test.each<[string, unknown]>([
    ['an array of more values than there are arguments', Array.from({ length: 20 }, () => 'a')],
    ['a number', 5],
    ['broken text of 40 KiB', `{"command": ${'x" '.repeat(14_000)}`],
  ])('arguments that are %s stay text', (_title, args) =>
    expect(typeof oneCall(native(args))?.arguments).toBe('string'),
  );
  test('a call without a name is malformed when it is the only one, left out otherwise', () => {
    expect(parseToolCalls({ tool_calls: [{ function: { name: '' } }] }).type).toBe('malformed');
    expect(parseToolCalls({ tool_calls: [null, 5, { function: { name: 'glob' } }] })).toMatchObject({
      calls: [{ name: 'glob', arguments: {} }],
    });
  });
  test('an empty list of calls is no call', () => {
    expect(parseToolCalls({ content: 'Done.', tool_calls: [] })).toEqual({
      type: 'final_answer',
      content: 'Done.',
    });
    expect(parseToolCalls({ content: '', tool_calls: [] })).toEqual({ type: 'empty', content: '' });
    expect(names(readJson)).toEqual(['read_file']);
  });
  test('the flat form of some servers', () =>
    expect(oneCall({ tool_calls: [{ name: 'shell', parameters: { command: 'ls' } }] })).toEqual({
      name: 'shell',
      arguments: { command: 'ls' },
    }));
});
