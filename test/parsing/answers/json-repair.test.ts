import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../../sidecar/parsing/answers/parse-answer.ts';
import { names, native, oneCall, readJson, tools } from './reading.ts';

/** JSON of calls that is not quite right. */
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
    ['JSON cut off before its first argument', '<tool_call>\n{"name": "list_directory", "arguments": {'],
    ['a name alone', '<tool_call>\n{"name": "list_directory"'],
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

/** What a model is told of a call that could not be read: the tool that was not run, and what to write otherwise. */
const reasonOf = (content: string) => {
  const answer = parseToolCalls({ content }, { tools });
  return answer.type === 'malformed' ? answer.reason : answer.type;
};
const unclear = 'a string contains quotes that are not escaped, or a comma is missing';

describe('JSON that is not clear, with words behind it, before its mark', () => {
  test.each([
    ['{"name": "shell", "arguments": {"command": "echo "hi" there"}} Now I wait.', unclear],
    ['{"name": "shell", "arguments": {"command": "ls" "timeout_ms": 3}} and then: I "wait".', unclear],
    ['{"name": "shell", "arguments": {"command": ls -la}} and then I wait.', 'the value ls has no quotes'],
    [
      '{"name": "shell", "arguments": {"command" "ls"}} and then I wait.',
      'a colon is missing after "command"',
    ],
  ])('%s', (call, what) => {
    const reason = `the call of shell was not run: ${what}. Send the whole call again as valid JSON: inside a text write \\" for each quote and \\n for each line break`;
    for (const content of [`<tool_call>${call}</tool_call>`, call])
      expect(reason).toContain(reasonOf(content));
  });

  test('leaves the calls behind it undone too', () => {
    const unclearCall = '{"name": "shell", "arguments": {"command": "echo "hi" there"}}';
    const clearCall = '{"name": "shell", "arguments": {"command": "echo hi there"}}';
    expect(reasonOf(`${unclearCall}\n\nThen ${clearCall}.`)).toContain(unclear);
  });
});

describe("Gemma's notation", () => {
  const gemma = (body: string) => reasonOf(`<|tool_call>call:shell{${body}}<tool_call|>`);
  const text = (value: string) => `<|"|>${value}<|"|>`;

  test.each([
    ['no comma between members', `command:${text('ls')} timeout_ms:3`],
    ['no comma between items', `command:[${text('a')} ${text('b')}]`],
    ['a text without its end', 'command:<|"|>ls'],
    ['a bare text with a bracket', 'command:ls [ab],timeout_ms:3'],
    ['a bare text of more than 1000 characters', `command:${'x'.repeat(1001)}`],
    ['a key of more than 300 characters', `${'k'.repeat(301)}:${text('ls')}`],
    ['no key', text('ls')],
    ['lists in lists, 110 deep', `command:${'['.repeat(110)}${']'.repeat(110)}`],
    ['objects in objects, 110 deep', `command:${'{a:'.repeat(110)}1${'}'.repeat(110)}`],
  ])('is not guessed with %s', (_what, body) =>
    expect(gemma(body)).toBe('the call of shell was not run: its arguments are cut off or unreadable'),
  );

  test.each([
    [
      'plain quotes around a text',
      'command:"echo \\"a\\", {b}",timeout_ms:3',
      { command: 'echo "a", {b}', timeout_ms: 3 },
    ],
    [
      'spaces around bare values',
      'command:echo "a" b ,timeout_ms: 3 ',
      { command: 'echo "a" b', timeout_ms: 3 },
    ],
    ['quotes around a key', `"command":${text('ls')}`, { command: 'ls' }],
    ['a quote inside of a key', `a"b:${text('ls')}`, { 'a"b': 'ls' }],
    ['a bare text of 999 characters', `command:${'x'.repeat(999)}`, { command: 'x'.repeat(999) }],
    ['a key of 300 characters', `${'k'.repeat(300)}:1`, { ['k'.repeat(300)]: 1 }],
  ])('is read with %s', (_what, body, expected) => {
    const content = `<|tool_call>call:shell{${body}}<tool_call|>`;
    expect(oneCall({ content })).toEqual({ name: 'shell', arguments: expected });
  });
});
