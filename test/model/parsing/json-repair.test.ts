/** JSON of calls that is not quite right. */
import { describe, expect, test } from '@jest/globals';
import { names, oneCall, readJson, tools } from './reading.ts';

describe('JSON that is nearly right is repaired and marked', () => {
  test.each([
    ['single quotes', "{'name': 'read_file', 'arguments': {'file_path': 'a.ts'}}"],
    ['trailing commas', '{"name": "read_file", "arguments": {"file_path": "a.ts",},}'],
    ['comments', '{"name": "read_file", // the file\n"arguments": {"file_path": "a.ts"}}'],
    ['a comment first', '{ /* call */ "name": "read_file", "arguments": {"file_path": "a.ts"}}'],
    ['bare keys', '{name: "read_file", arguments: {file_path: "a.ts"}}'],
    ['a missing brace', '{"name": "read_file", "arguments": {"file_path": "a.ts"}'],
    ['cut off in a string', '{"name": "read_file", "arguments": {"file_path": "a.ts'],
    ['in a code fence', '```json\n{"name": "read_file", "arguments": {"file_path": "a.ts"}\n```'],
    ['after prose', 'I read it: {"name": "read_file", "arguments": {"file_path": "a.ts"},}'],
    ['Python words', "{'name': 'read_file', 'arguments': {'file_path': 'a.ts', 'limit': None}}"],
    ['in a tag', "<tool_call>{'name': 'read_file', 'arguments': {'file_path': 'a.ts'}}</tool_call>"],
    [
      'a missing brace in a tag',
      '<tool_call>{"name": "read_file", "arguments": {"file_path": "a.ts"}</tool_call>',
    ],
    ['a missing brace, tag unclosed', '<tool_call>{"name": "read_file", "arguments": {"file_path": "a.ts"}'],
    ['in tool_calls', '{"tool_calls": [{"name": "read_file", "arguments": {"file_path": "a.ts"}}'],
  ])('%s', (_title, content) => {
    const call = oneCall({ content }, { tools });
    expect(call).toMatchObject({ name: 'read_file', arguments: { file_path: 'a.ts' }, repaired: true });
  });
  test('raw line breaks in a string', () =>
    expect(oneCall({ content: '{"name": "shell", "arguments": {"command": "a\nb"}}' })).toEqual({
      name: 'shell',
      arguments: { command: 'a\nb' },
      repaired: true,
    }));
  test('quotes in a string', () =>
    expect(oneCall({ content: '{"name": "shell", "arguments": {"command": "echo "hi" there"}}' })).toEqual({
      name: 'shell',
      arguments: { command: 'echo "hi" there' },
      repaired: true,
    }));
  const code = 'def f():\n\tprint("a", 1)\n\treturn "b"\n';
  test.each([
    [
      'code with raw quotes and line breaks',
      `{"name": "write_file", "arguments": {"content": "${code}", "file_path": "a.py"}}`,
    ],
    [
      'the same in a tag',
      `<tool_call>{"name": "write_file", "arguments": {"file_path": "a.py", "content": "${code}"}}</tool_call>`,
    ],
    ['triple quotes', `{"name": "write_file", "arguments": {"file_path": "a.py", "content": """${code}"""}}`],
  ])('%s', (_title, content) =>
    expect(oneCall({ content })).toEqual({
      name: 'write_file',
      arguments: { file_path: 'a.py', content: code },
      repaired: true,
    }),
  );
  test('what is right is not marked', () =>
    expect(oneCall({ content: readJson })).not.toHaveProperty('repaired'));
  test.each([
    ['larger than 32 KiB', `{"name": "shell", "arguments": {"command": 'x', ${'"a" '.repeat(9000)}`],
    ['deeper than 64 levels', `{"name": "shell", "arguments": ${'{"a": '.repeat(70)}'x'`],
    ['in a tag and too large', `<tool_call>{'name': 'shell', ${'"a" '.repeat(9000)}</tool_call>`],
    [
      'cut off in the middle of a value, in a tag',
      '<tool_call>{"name": "write_file", "arguments": {"content": "ab',
    ],
    ['cut off in a parameter', '<function=write_file>\n<parameter=content>\nabc'],
    ['cut off in a pair', '<tool_call>write_file<arg_key>content</arg_key><arg_value>abc'],
    ['a tagged block in no known form', '<tool_call>\nread a.ts please\n</tool_call>'],
    ['an empty tagged block', '<tool_call></tool_call>'],
    ['a tagged object without a name', '<tool_call>{"foo": 1}</tool_call>'],
  ])('malformed: %s', (_title, content) => expect(names(content)).toBe('malformed'));
  test('large JSON that is right needs no repair', () => {
    const content = JSON.stringify({ name: 'write_file', arguments: { content: 'x"{['.repeat(100_000) } });
    expect(names(content)).toEqual(['write_file']);
  });
});
