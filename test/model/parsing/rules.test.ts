import { describe, expect, test } from '@jest/globals';
import type { ToolDefinition } from '../../../sidecar/model/chat.ts';
import { parseToolCalls } from '../../../sidecar/model/parsing/parse-tool-calls.ts';
import { createToolRegistry } from '../../../sidecar/tools/registry.ts';

const readJson = '{"name": "read_file", "arguments": {"file_path": "a.ts"}}';
const globJson = '{"name": "glob", "arguments": {"pattern": "*.ts"}}';
const definition = (name: string, properties: object = {}): ToolDefinition => ({
  type: 'function',
  function: { name, description: '', parameters: { type: 'object', properties } },
});
const tools = [
  definition('read_file', { file_path: { type: 'string' }, limit: { type: 'integer' } }),
  definition('shell', { command: { type: 'string' }, timeout_ms: { type: 'integer' } }),
  definition('multi_edit', { edits: { type: 'array', items: { type: 'object' } }, dry: { type: 'boolean' } }),
];
const names = (content: string, options = {}) => {
  const answer = parseToolCalls({ content }, options);
  return answer.type === 'tool_calls' ? answer.calls.map(({ name }) => name) : answer.type;
};
const oneCall = (message: Parameters<typeof parseToolCalls>[0], options = {}) => {
  const answer = parseToolCalls(message, options);
  if (answer.type !== 'tool_calls') throw new Error(JSON.stringify(answer));
  return answer.calls[0];
};
const native = (args: unknown, name = 'shell') => ({
  content: '',
  tool_calls: [{ function: { name, arguments: args } }],
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
    ['an array', [1]],
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

describe('messages of any form', () => {
  test.each<[string, Parameters<typeof parseToolCalls>[0]]>([
    ['null', null],
    ['undefined', undefined],
    ['an empty text', ''],
    ['white space', ' \n\t '],
    ['no fields', {}],
    ['null content', { content: null }],
    ['only thinking', { content: '', thinking: readJson }],
    ['a number as content', { content: 5 as unknown as string }],
    ['a list as content', { content: [] as unknown as string }],
    ['calls that are no list', { content: '', tool_calls: 'x' }],
  ])('%s is empty', (_title, message) =>
    expect(parseToolCalls(message)).toEqual({ type: 'empty', content: '' }),
  );
  test('a plain text is a final answer', () =>
    expect(parseToolCalls(' All done. ')).toEqual({ type: 'final_answer', content: 'All done.' }));
});

describe('the order of the layers', () => {
  test('bare JSON outside a block goes before tagged calls', () => {
    const answer = parseToolCalls({ content: `<tool_call>${readJson}</tool_call>\n${globJson}` });
    expect(answer).toMatchObject({ layer: 'json', calls: [{ name: 'glob' }] });
  });
  test('JSON inside a tagged block is an argument', () =>
    expect(
      names(
        `<function=write_file><parameter=file_path>a</parameter><parameter=content>${readJson}</parameter></function>`,
      ),
    ).toEqual(['write_file']));
  test('a tag inside a JSON string is text', () => {
    const call = JSON.stringify({
      name: 'write_file',
      arguments: { file_path: 'a', content: `<tool_call>${readJson}</tool_call>` },
    });
    expect(parseToolCalls({ content: call })).toMatchObject({
      layer: 'json',
      calls: [{ name: 'write_file', arguments: { content: `<tool_call>${readJson}</tool_call>` } }],
    });
  });
  test('a tagged block that cannot be read leaves its text to layer 2', () =>
    expect(names(`<tool_call>\nI want: ${readJson}`)).toEqual(['read_file']));
});

describe('answers in JSON', () => {
  test.each([
    ['alone', '{"response": "All done."}'],
    ['in a code fence', '```json\n{"response": "All done."}\n```'],
    ['after prose', 'My answer: {"response": "All done."}'],
    ['nearly right', "{'response': 'All done.',}"],
    ['beside null calls', '{"tool_calls": null, "response": "All done."}'],
    ['beside an empty list of calls', '{"tool_calls": [], "response": "All done."}'],
  ])('response: %s', (_title, content) =>
    expect(parseToolCalls({ content }, { mode: 'text' })).toEqual({
      type: 'final_answer',
      content: 'All done.',
    }),
  );
  test('an example inside prose leaves the prose whole', () => {
    const content = 'The server sends {"response": "ok"} for each request.';
    expect(parseToolCalls({ content })).toEqual({ type: 'final_answer', content });
  });
  test('an empty response is empty', () => expect(names('{"response": " "}')).toBe('empty'));
  test('an empty list of calls is empty', () => expect(names('{"tool_calls": []}')).toBe('empty'));
  test('calls and a response at once are malformed', () => {
    const content = `{"tool_calls": [${readJson}], "response": "done"}`;
    expect(parseToolCalls({ content })).toMatchObject({ type: 'malformed', content });
    expect(names(`Ok: ${content}`)).toBe('malformed');
  });
  test('a request for approval', () =>
    expect(parseToolCalls({ content: '{"request_approval": "May I?"}' })).toEqual({
      type: 'approval',
      question: 'May I?',
    }));
  test('a response that is not text becomes text', () =>
    expect(parseToolCalls({ content: '{"response": {"sum": 3}}' })).toEqual({
      type: 'final_answer',
      content: '{"sum":3}',
    }));
});

describe('structured mode takes exactly one object with exactly one key', () => {
  const mode = { mode: 'structured' } as const;
  test.each([
    ['prose', 'Hello there.', 'not one JSON object'],
    ['a call in layer 2 form', readJson, 'none of'],
    ['an empty object', '{}', 'none of'],
    ['a list', `[${readJson}]`, 'not one JSON object'],
    ['prose before', `Sure: {"tool_calls": [${readJson}]}`, 'not one JSON object'],
    ['prose after', `{"tool_calls": [${readJson}]} Done.`, 'after the JSON object'],
    ['two objects', '{"response": "a"} {"response": "b"}', 'after the JSON object'],
    ['both', `{"tool_calls": [${readJson}], "response": "x"}`, 'tool_calls and response'],
    ['both, with no calls', '{"tool_calls": [], "response": "x"}', 'tool_calls and response'],
    ['response and approval', '{"response": "a", "request_approval": "b"}', 'response and request_approval'],
    ['calls that are no array', `{"tool_calls": ${readJson}}`, 'not an array'],
    ['a call without a name', '{"tool_calls": [{"parameters": {}}]}', 'tool_calls[0]'],
    ['a response that is no text', '{"response": 5}', 'not a string'],
    ['a tagged call', `<tool_call>${readJson}</tool_call>`, 'not one JSON object'],
    ['broken and too large', `{"tool_calls": [${'x" '.repeat(14_000)}`, 'larger than'],
    ['broken and too deep', `{"tool_calls": ${'['.repeat(70)}`, 'deeper than'],
  ])('malformed: %s', (_title, content, reason) => {
    const answer = parseToolCalls({ content }, mode);
    expect(answer).toMatchObject({ type: 'malformed', content });
    expect(answer.type === 'malformed' && answer.reason).toContain(reason);
  });
  test('calls, an answer, a question', () => {
    const content = `{"tool_calls": [{"name": "read_file", "parameters": {"limit": "5"}}, ${globJson}]}`;
    expect(parseToolCalls({ content }, { ...mode, tools })).toEqual({
      type: 'tool_calls',
      layer: 'json',
      calls: [
        { name: 'read_file', arguments: { limit: 5 } },
        { name: 'glob', arguments: { pattern: '*.ts' } },
      ],
    });
    expect(parseToolCalls({ content: '{"response": "Done."}' }, mode)).toEqual({
      type: 'final_answer',
      content: 'Done.',
    });
    expect(parseToolCalls({ content: '{"request_approval": "May I?"}' }, mode)).toEqual({
      type: 'approval',
      question: 'May I?',
    });
  });
  test('thinking before the object is no text', () =>
    expect(names('<think>{"response": "x"}</think>\n{"tool_calls": [{"name": "glob"}]}', mode)).toEqual([
      'glob',
    ]));
  test('nearly right JSON is repaired and marked', () =>
    expect(
      oneCall({ content: '{"tool_calls": [{"name": "glob", "parameters": {"pattern": "*"}}' }, mode),
    ).toEqual({
      name: 'glob',
      arguments: { pattern: '*' },
      repaired: true,
    }));
  test('nothing at all is empty', () => expect(names(' ', mode)).toBe('empty'));
});

describe('thinking is removed first', () => {
  test.each<[string, string, unknown]>([
    ['before the call', `<think>hm</think>${readJson}`, ['read_file']],
    ['a call in it does not count', `<think>${readJson}</think>Done.`, 'final_answer'],
    [
      'a tagged call in it does not count',
      `<think><tool_call>${readJson}</tool_call></think>Done.`,
      'final_answer',
    ],
    ['unclosed', `<think>I will call <tool_call>${readJson}</tool_call>`, 'empty'],
    ['only the closing mark', `${readJson} or not?</think>\n${globJson}`, ['glob']],
    ['empty', `<think>\n\n</think>\n\n${readJson}`, ['read_file']],
    ['twice', `<think>a</think>${readJson}<think>b</think>${globJson}`, ['read_file', 'glob']],
    ['thinking tags', `<thinking>${readJson}</thinking>${globJson}`, ['glob']],
    ["Magistral's marks", `[THINK]${readJson}[/THINK]${globJson}`, ['glob']],
  ])('%s', (_title, content, wanted) => expect(names(content)).toEqual(wanted));
  test('is no part of the final answer', () =>
    expect(parseToolCalls({ content: '<think>hm</think>\n\nAll <think>x</think>done.' })).toEqual({
      type: 'final_answer',
      content: 'All done.',
    }));
  test('is no part of the prose before a call', () =>
    expect(parseToolCalls({ content: `<think>hm</think>\nLook: ${readJson}` })).toMatchObject({
      content: 'Look:',
    }));
  test('is no part of the prose beside native calls', () =>
    expect(parseToolCalls({ ...native({}), content: '<think>a</think>Ok.' })).toMatchObject({
      content: 'Ok.',
    }));
  test('a tag in a written file is text', () => {
    const args = { file_path: 'a', content: '<think>x</think>' };
    expect(oneCall({ content: JSON.stringify({ name: 'write_file', arguments: args }) })?.arguments).toEqual(
      args,
    );
  });
  test('a mark that is only spoken about is text', () => {
    const content = 'The parser removes `<think>` blocks.';
    expect(parseToolCalls({ content })).toEqual({ type: 'final_answer', content });
  });
});

describe('known tools', () => {
  test.each<[string, string, unknown]>([
    ['JSON in prose that names one', `Ok: ${readJson}`, ['read_file']],
    ['an alias', 'Ok: {"name": "run_command", "arguments": {"cmd": "ls"}}', ['run_command']],
    ['other case and separators', 'Ok: {"name": "Read-File", "arguments": {}}', ['Read-File']],
    [
      'JSON in prose that names none',
      'Data: {"name": "web", "arguments": {"port": 80}} is set.',
      'final_answer',
    ],
    ['only the known ones of several', `Ok: {"name": "web", "arguments": {}} and ${readJson}`, ['read_file']],
    ['an unknown name in a tag', '<tool_call>{"name": "web", "arguments": {}}</tool_call>', ['web']],
    ['an unknown name in a pythonic list with marks', '<|python_start|>[web(a=1)]<|python_end|>', ['web']],
    ['an unknown name in a bare pythonic list in prose', 'Like [web(a=1)] here.', 'final_answer'],
    ['an unknown name that is the whole answer', '{"name": "web", "arguments": {}}', ['web']],
    ['a package.json', '{"name": "glob", "version": "10.0.0", "type": "module"}', 'final_answer'],
    [
      'a tool described',
      '{"name": "read_file", "parameters": {"type": "object", "properties": {}}}',
      'final_answer',
    ],
    ['a link', 'See [shell(1)](https://x.y).', 'final_answer'],
    ['a word on a line before a code block', 'Run\nls\n{"a": 1}', 'final_answer'],
  ])('%s', (_title, content, wanted) => expect(names(content, { tools })).toEqual(wanted));
  test('are given as definitions, names or a registry', () => {
    const prose = 'Ok: {"name": "grep", "arguments": {"max_results": "5"}}';
    expect(names(prose, { tools: ['grep'] })).toEqual(['grep']);
    expect(names(prose, { tools: ['other'] })).toBe('final_answer');
    expect(oneCall({ content: prose }, { tools: createToolRegistry() })?.arguments).toEqual({
      max_results: 5,
    });
    expect(oneCall({ content: prose }, { tools: createToolRegistry().definitions() })?.arguments).toEqual({
      max_results: 5,
    });
    expect(names(prose, { tools: [null, 5, {}, { name: 'grep' }] })).toEqual(['grep']);
    expect(names(prose, { tools: 'nonsense' })).toEqual(['grep']);
    expect(names(prose, { tools: null })).toEqual(['grep']);
  });
  test('none given: any name counts, in its plain shape', () => {
    expect(names('{"name": "get_weather", "arguments": {"city": "x"}}')).toEqual(['get_weather']);
    expect(names('{"name": "my-app", "version": "1.0.0"}')).toBe('final_answer');
    expect(names('{"action": "Final Answer", "action_input": "x"}')).toBe('final_answer');
  });
});

describe('coercion by the schema', () => {
  test.each<[string, string, object]>([
    [
      'read_file',
      '{"path": "a", "start_line": "3", "end_line": "9"}',
      { path: 'a', start_line: 3, end_line: 9 },
    ],
    ['shell', '{"command": "42", "timeout_ms": "5000"}', { command: '42', timeout_ms: 5000 }],
    ['bash', '{"cmd": "ls", "timeout": "5000"}', { cmd: 'ls', timeout: 5000 }],
    [
      'grep',
      '{"query": "1", "max_results": "7", "case_insensitive": "true"}',
      { query: '1', max_results: 7, case_insensitive: true },
    ],
    ['write_file', '{"file_path": "a", "content": "true"}', { file_path: 'a', content: 'true' }],
    ['list_dir', '{"path": "1", "recursive": "false"}', { path: '1', recursive: false }],
  ])('without tools the standard schemas type %s', (name, args, wanted) =>
    expect(oneCall({ content: `{"name": "${name}", "arguments": ${args}}` })?.arguments).toEqual(wanted),
  );
  test('a JSON string where a list is wanted, a lone value too', () => {
    const call = (edits: unknown) => ({
      content: JSON.stringify({ name: 'multi_edit', arguments: { edits } }),
    });
    expect(oneCall(call('[{"a": 1}]'), { tools })?.arguments).toEqual({ edits: [{ a: 1 }] });
    expect(oneCall(call({ a: 1 }), { tools })?.arguments).toEqual({ edits: [{ a: 1 }] });
  });
});

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

describe('prose is a final answer', () => {
  test.each([
    'I changed `a[0]` to {b} and it works.',
    'Use `<tool_call>` tags around calls.',
    'Write `<tool_call>…</tool_call>` around calls.',
    'Call shell(1) or see [man](x).',
    'print("x") is all that f(x) does.',
    'In C: if (a < b) { return arr[i]; }',
    '```ts\nconst x = { name: "shell", run() {} };\n```',
    '{"a": 1, "b": [1, 2]}',
    'function f() { name: "x" }',
    'The list [1, 2, 3] and the set {1, 2}.',
    '<div class="a">{{ name }}</div>',
    'See [the docs](https://example.org/a?b={c}).',
  ])('%s', (content) =>
    expect(parseToolCalls({ content }, { tools })).toEqual({ type: 'final_answer', content }),
  );
});

describe('ends of a round', () => {
  test('results that the model made up are not read', () =>
    expect(names(`<tool_call>${readJson}</tool_call>\n<tool_response>${globJson}</tool_response>`)).toEqual([
      'read_file',
    ]));
  test('more than 1000 calls are malformed', () =>
    expect(names(`<tool_call>${readJson}</tool_call>`.repeat(1200))).toBe('malformed'));
  test('tools listed by the model are no call', () =>
    expect(
      names('Have <tools>[{"name":"read_file","parameters":{"type":"object","properties":{}}}]</tools> ok'),
    ).toBe('final_answer'));
  test('an empty block of calls is empty', () => expect(names('<tool_calls></tool_calls>')).toBe('empty'));
  test('marks of chat templates are no part of an answer', () =>
    expect(parseToolCalls({ content: 'Done.<|im_end|>' })).toEqual({
      type: 'final_answer',
      content: 'Done.',
    }));
});
