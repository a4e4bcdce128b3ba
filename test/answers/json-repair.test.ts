/** JSON of calls that is not quite right. */
import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { names, native, oneCall, readJson, tools } from './reading.ts';

describe('JSON that is nearly right is repaired and marked', () => {
  test.each([
    ['single quotes', "{'name': 'read_file', 'arguments': {'file_path': 'a.ts'}}"],
    ['trailing commas', '{"name": "read_file", "arguments": {"file_path": "a.ts",},}'],
    ['comments', '{"name": "read_file", // the file\n"arguments": {"file_path": "a.ts"}}'],
    ['a comment first', '{ /* call */ "name": "read_file", "arguments": {"file_path": "a.ts"}}'],
    ['bare keys', '{name: "read_file", arguments: {file_path: "a.ts"}}'],
    ['a missing brace', '{"name": "read_file", "arguments": {"file_path": "a.ts"}'],
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
  test.each([
    [
      'raw line breaks',
      `{"name": "write_file", "arguments": {"file_path": "a.md", "content": "# A\n\n\`\`\`js\nx()\n\`\`\`\n"}}`,
    ],
    [
      'raw line breaks in a fence',
      `\`\`\`json\n{"name": "write_file", "arguments": {"file_path": "a.md", "content": "# A\n\n\`\`\`js\nx()\n\`\`\`\n"}}\n\`\`\``,
    ],
    [
      'triple quotes',
      `{"name": "write_file", "arguments": {"file_path": "a.md", "content": """# A\n\n\`\`\`js\nx()\n\`\`\`\n"""}}`,
    ],
    [
      'typographic quotes',
      `{“name”: “write_file”, “arguments”: {“file_path”: “a.md”, “content”: “# A\n\n\`\`\`js\nx()\n\`\`\`\n”}}`,
    ],
  ])('a whole text arrives: %s', (_title, content) =>
    expect(oneCall({ content })).toEqual({
      name: 'write_file',
      arguments: { file_path: 'a.md', content: '# A\n\n```js\nx()\n```\n' },
      repaired: true,
    }),
  );
  const code = 'def f():\n\tprint("a", 1)\n\treturn "b"\n';
  test.each([
    ['quotes in a command', '{"name": "shell", "arguments": {"command": "echo "hi" there"}}'],
    ['a command cut off', '{"name": "shell", "arguments": {"command": "rm -rf build'],
    [
      'a file cut off by a fence',
      '```json\n{"name": "write_file", "arguments": {"file_path": "a", "content": "x\n```',
    ],
    ['quotes in code', `{"name": "write_file", "arguments": {"content": "${code}", "file_path": "a.py"}}`],
    [
      'quotes in code, in a tag',
      `<tool_call>{"name": "write_file", "arguments": {"file_path": "a.py", "content": "${code}"}}</tool_call>`,
    ],
    [
      'a quote and brackets that end the object',
      '{"name": "write_file", "arguments": {"file_path": "a", "content": "x"}}"}}',
    ],
    [
      'a closing mark where a text has no end',
      '<tool_call>{"name": "shell", "arguments": {"command": "ls</tool_call>',
    ],
    [
      'a closing mark in a value',
      '<tool_call><function=write_file><parameter=file_path>a</parameter><parameter=content>\nA</parameter>\n</function>\nB\n</parameter></function></tool_call>',
    ],
    [
      'a value without its end',
      '<tool_call><function=edit_file><parameter=file_path>a<parameter=old_string>x</parameter></function></tool_call>',
    ],
    [
      'a broken value between two good ones',
      '<tool_call>edit_file<arg_key>file_path</arg_key><arg_value>a</arg_value><arg_key>old_string</arg_key><arg_value>x<arg_key>new_string</arg_key><arg_value>y</arg_value></tool_call>',
    ],
    [
      'a value given twice',
      '<tool_call>write_file<arg_key>content</arg_key><arg_value>a</arg_value><arg_key>content</arg_key><arg_value>b</arg_value></tool_call>',
    ],
    [
      'arguments nested 10 000 deep',
      `{"name": "shell", "arguments": {"a": ${'['.repeat(10_000)}${']'.repeat(10_000)}}}`,
    ],
  ])('a call with effects is malformed: %s', (_title, content) => {
    const answer = parseToolCalls({ content });
    expect(answer).toMatchObject({ type: 'malformed', content });
    expect(answer.type === 'malformed' && answer.reason).toMatch(
      /Send the whole call again|cut off|nested deeper/,
    );
  });
  test('native arguments that are broken stay text, for their call alone to be refused', () =>
    expect(oneCall(native('{"command": "echo "hi" there"}'))).toEqual({
      name: 'shell',
      arguments: '{"command": "echo "hi" there"}',
    }));
  test('a value that was given its type says so', () => {
    const content = '{"name": "grep", "arguments": {"pattern": "a", "max_results": "5"}}';
    expect(oneCall({ content })).toMatchObject({ arguments: { max_results: 5 }, repaired: true });
  });
  test('what is right is not marked', () =>
    expect(oneCall({ content: readJson })).not.toHaveProperty('repaired'));
  test.each([
    [
      'with quotes that are not clear',
      `{"name": "shell", "arguments": {"command": 'x', ${'"a" '.repeat(9000)}`,
    ],
    ['deeper than 100 levels', `{"name": "shell", "arguments": ${'{"a": '.repeat(110)}'x'`],
    ['cut off in a string', '{"name": "read_file", "arguments": {"file_path": "a.ts'],
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
