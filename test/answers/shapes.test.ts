/** The shapes of JSON that count as a call, and those that look like one and do not. */
import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { oneCall, tools } from './reading.ts';

const tagged = (json: string) => `<tool_call>${json}</tool_call>`;
const typeOf = (content: string) => parseToolCalls({ content }, { tools }).type;
const ls = { name: 'shell', arguments: { command: 'ls' } };

describe('in a tag', () => {
  test.each<[string, string, unknown]>([
    ['a name with spaces around it', '{"name": " shell ", "arguments": {"command": "ls"}}', ls],
    ['a list of one', '[{"name": "shell", "arguments": {"command": "ls"}}]', ls],
    ['tool_calls', '{"tool_calls": [{"name": "shell", "arguments": {"command": "ls"}}]}', ls],
    ['a name as the key', '{"shell": {"command": "ls"}}', ls],
    ['a name as the key of nothing', '{"glob": null}', { name: 'glob', arguments: {} }],
    ['arguments beside the name', '{"name": "shell", "command": "ls"}', ls],
    ['a type and a place', '{"type": "function", "index": 0, "name": "shell", "command": "ls"}', ls],
    ['an id', '{"id": "a1", "name": "shell", "arguments": {"command": "ls"}}', { ...ls, id: 'a1' }],
    ['an id of nothing', '{"id": "", "name": "shell", "arguments": {"command": "ls"}}', ls],
    [
      'an id outside of the function',
      '{"id": "a1", "function": {"name": "shell", "arguments": {"command": "ls"}}}',
      { ...ls, id: 'a1' },
    ],
  ])('%s', (_what, json, expected) =>
    expect(oneCall({ content: tagged(json) }, { tools })).toEqual(expected),
  );

  test.each([
    ['a text', '"shell"'],
    ['two keys', '{"shell": {"command": "ls"}, "glob": {}}'],
    ['a key of a text', '{"shell": "ls"}'],
    ['an empty key', '{" ": {"command": "ls"}}'],
    ['a key that is no name', '{"arguments": {"command": "ls"}}'],
  ])('%s is no call', (_what, json) => expect(typeOf(tagged(json))).not.toBe('tool_calls'));

  test("a tool's description, beside a call, is not run", () => {
    const description =
      '{"name": "shell", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}}';
    expect(typeOf(tagged(description))).not.toBe('tool_calls');
    const content = tagged(`[${description}, ${JSON.stringify(ls)}]`);
    expect(oneCall({ content }, { tools })).toEqual(ls);
  });
});

describe('in prose', () => {
  test.each([
    ['a role of the model', '{"role": "assistant", "name": "shell", "arguments": {"command": "ls"}}'],
    ['all that it needs as keys', '{"name": "shell", "command": "ls", "timeout_ms": 5}'],
    ['other words for its parts', '{"tool": "shell", "args": {"command": "ls"}}'],
  ])('%s', (_what, json) => expect(oneCall({ content: `Now: ${json}` }, { tools })?.name).toBe('shell'));

  test.each([
    ["somebody else's role", '{"role": "user", "name": "shell", "arguments": {"command": "ls"}}'],
    ['keys that are not its own', '{"name": "shell", "command": "ls", "owner": "me"}'],
    ['no arguments, and a plain word', '{"shell": {}}'],
    ['a key that the tool does not have', '{"read_file": {"file_path": "a", "colour": "red"}}'],
  ])('%s is no call', (_what, json) => expect(typeOf(`Now: ${json}`)).not.toBe('tool_calls'));
});

describe('natively', () => {
  test.each<[string, object, unknown]>([
    ['a name with spaces around it', { name: ' shell ', arguments: { command: 'ls' } }, ls],
    ['parameters', { name: 'shell', parameters: { command: 'ls' } }, ls],
    ['an id', { id: 'a1', function: { name: 'shell', arguments: { command: 'ls' } } }, { ...ls, id: 'a1' }],
    ['an id of nothing', { id: '', function: { name: 'shell', arguments: { command: 'ls' } } }, ls],
    ['an id that is a number', { id: 5, function: { name: 'shell', arguments: { command: 'ls' } } }, ls],
  ])('%s', (_what, call, expected) => {
    const answer = parseToolCalls({ content: '', tool_calls: [call] }, { tools });
    expect(answer).toEqual({ type: 'tool_calls', layer: 'native', calls: [expected] });
  });

  test('a name of spaces is none', () =>
    expect(parseToolCalls({ tool_calls: [{ name: '  ', arguments: {} }] }).type).toBe('malformed'));
});
