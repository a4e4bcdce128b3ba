import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../../sidecar/parsing/answers/parse-answer.ts';
import { prepareArguments } from '../../../sidecar/tools/arguments.ts';
import { createToolRegistry } from '../../../sidecar/tools/registry.ts';
import { families } from './families.cases.ts';
import { names, native, oneCall, readJson, tools, type Readings } from './reading.ts';
import { spelledOtherwise } from './spelled-otherwise.cases.ts';
import { writtenValues } from './written-values.cases.ts';

/** Calls as models write them that were trained with other harnesses: their tools' names, arguments and shapes. */
const registry = createToolRegistry();
const write = (name: string, args: unknown) => JSON.stringify({ name, arguments: args });

/** The tool that runs in the end, and the arguments that it gets. */
function meant(content: string): [string, unknown] {
  const call = oneCall({ content });
  const tool = registry.get(call?.name ?? '');
  if (!call || !tool) throw new Error(`no tool: ${JSON.stringify(call)}`);
  const prepared = prepareArguments(tool, registry.argumentsOf(tool), call.arguments);
  return [tool.name, prepared.ok ? prepared.args : prepared.message];
}

const read = ['read_file', { file_path: 'a.ts' }];
const edit = ['edit_file', { file_path: 'a.ts', old_string: 'a', new_string: 'b' }];
const range = ['read_file', { file_path: 'a.ts', offset: 3, limit: 7 }];

describe('names and arguments of other harnesses', () => {
  test.each<[string, object, unknown[]]>([
    ['bash', { command: 'ls' }, ['shell', { command: 'ls' }]],
    ['execute_command', { command: 'ls', requires_approval: false }, ['shell', { command: 'ls' }]],
    ['view', { path: 'a.ts', view_range: [3, 9] }, range],
    ['view', { path: 'a.ts', view_range: '[3, 9]' }, range],
    ['view', { path: 'a.ts', view_range: [3, -1] }, ['read_file', { file_path: 'a.ts', offset: 3 }]],
    ['create_file', { path: 'a.ts', file_text: 'x' }, ['write_file', { file_path: 'a.ts', content: 'x' }]],
    ['replace_in_file', { path: 'a.ts', old_str: 'a', new_str: 'b' }, edit],
    ['replace_in_file', { path: 'a.ts', diff: '<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE' }, edit],
    ['replace_in_file', { path: 'a.ts', diff: '------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n' }, edit],
    [
      'search_files',
      { path: 'src', regex: 'x', file_pattern: '*.ts' },
      ['grep', { path: 'src', pattern: 'x', include: '*.ts' }],
    ],
    ['list_files', { path: 'src', recursive: 'true' }, ['list_directory', { path: 'src', recursive: true }]],
    ['str_replace_editor', { command: 'view', path: 'a.ts' }, read],
    ['str_replace_editor', { command: 'view', path: 'a.ts', view_range: [3, 9] }, range],
    [
      'str_replace_editor',
      { command: 'create', path: 'a.ts', file_text: 'x' },
      ['write_file', { file_path: 'a.ts', content: 'x' }],
    ],
    ['str_replace_editor', { command: 'str_replace', path: 'a.ts', old_str: 'a', new_str: 'b' }, edit],
    ['str_replace_based_edit_tool', { command: 'view', path: 'a.ts' }, read],
    [
      'text_editor',
      { command: 'insert', path: 'a.ts', insert_line: 1, insert_text: 'x' },
      ['edit_file', { file_path: 'a.ts', old_string: '', new_string: 'x', insert_line: 1 }],
    ],
    [
      'str_replace_editor',
      { command: 'insert', path: 'a.ts', insert_line: '0', new_str: 'x' },
      ['edit_file', { file_path: 'a.ts', old_string: '', new_string: 'x', insert_line: 0 }],
    ],
  ])('%s %j', (name, args, wanted) => {
    expect(meant(write(name, args))).toEqual(wanted);
    expect(meant(`<tool_call>${write(name, args)}</tool_call>`)).toEqual(wanted);
    const native = parseToolCalls({ content: '', tool_calls: [{ function: { name, arguments: args } }] });
    expect(native.type === 'tool_calls' && registry.get(native.calls[0]?.name ?? '')?.name).toBe(wanted[0]);
  });

  test('several edits in one call are sent back', () => {
    const block = '<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n';
    const [tool, said] = meant(
      `<replace_in_file><path>a</path><diff>\n${block}${block}</diff></replace_in_file>`,
    );
    expect(tool).toBe('edit_file');
    expect(said).toContain('2 edits. Send one call for each');
  });

  test('an insertion in elements keeps its line', () => {
    const parameter = (name: string, value: string) => `<parameter=${name}>\n${value}\n</parameter>\n`;
    const content = `<tool_call>\n<function=str_replace_editor>\n${parameter('command', 'insert')}${parameter('path', 'a.ts')}${parameter('insert_line', '12')}${parameter('new_str', '  x\n')}</function>\n</tool_call>`;
    const args = { path: 'a.ts', old_string: '', new_str: '  x\n', insert_line: 12 };
    expect(oneCall({ content })).toEqual({ name: 'edit_file', arguments: args });
    expect(oneCall({ content }, { tools: registry })).toEqual({ name: 'edit_file', arguments: args });
  });

  test('a command that there is not is told, with those that there are', () =>
    expect(parseToolCalls(write('str_replace_editor', { command: 'undo_edit', path: 'a.ts' }))).toMatchObject(
      {
        type: 'malformed',
        reason: expect.stringContaining(
          'there is no command "undo_edit", only view, create, str_replace, insert',
        ),
      },
    ));

  test('an editor with commands that the task itself has is left alone', () => {
    const content = write('text_editor', { command: 'view', path: 'a' });
    expect(oneCall({ content }, { tools: ['text_editor'] })).toMatchObject({
      name: 'text_editor',
      arguments: { command: 'view', path: 'a' },
    });
  });

  test('a view of a file is harmless, however it is written', () => {
    expect(
      names(
        `<tool_call>{"name": "str_replace_editor", "arguments": {"command": "view", "path": "a.ts"</tool_call>`,
      ),
    ).toEqual(['read_file']);
  });
});

describe('the tool as the only key', () => {
  const call = '{"read_file": {"file_path": "a.ts"}}';
  test.each<[string, string]>([
    ['alone', call],
    ['after prose', `I will look.\n${call}`],
    ['in a fence', `\`\`\`json\n${call}\n\`\`\``],
    ['with another name', '{"view_file": {"path": "a.ts"}}'],
    ['with single quotes inside', `{"read_file": {'file_path': 'a.ts'}}`],
  ])('%s', (_where, content) => expect(meant(content)).toEqual(read));
  test('two in a list', () =>
    expect(names(`[${call}, {"shell": {"command": "ls"}}]`)).toEqual(['read_file', 'shell']));
  test.each<[string, string]>([
    ['of no tool', '{"tasks_file": {"file_path": "a.ts"}}'],
    ['with other keys inside', '{"read_file": {"description": "reads"}}'],
    ['without what it needs', '{"write_file": {"file_path": "a.ts"}}'],
    ['beside other keys', '{"read_file": {"file_path": "a.ts"}, "version": 2}'],
    ['that is a plain word', '{"search": {"pattern": "x"}}'],
  ])('not %s', (_what, content) => expect(names(content)).toBe('final_answer'));
  test('cut off in a text, it is asked for again', () =>
    expect(names('{"write_file": {"file_path": "a.ts", "content": "x')).toBe('malformed'));
});

describe('an element with a name in it', () => {
  test.each<[string, string]>([
    ['JSON', '<tool_use>\n<name>read_file</name>\n<arguments>{"file_path": "a.ts"}</arguments>\n</tool_use>'],
    [
      'JSON under another name',
      '<tool_use><tool_name>read_file</tool_name><parameters>\n{"file_path": "a.ts"}\n</parameters></tool_use>',
    ],
    ['elements', '<tool_use><name>read_file</name><input><file_path>a.ts</file_path></input></tool_use>'],
    ['elements beside the name', '<tool_use>\n<name>read_file</name>\n<path>a.ts</path>\n</tool_use>'],
    ['a list', '<tool_use><name>read_file</name><arguments>["a.ts"]</arguments></tool_use>'],
    ['nothing that closes it', '<tool_use><name>read_file</name><arguments>{"file_path": "a.ts"}'],
    ['a whole call as JSON', '<tool_use>{"name": "read_file", "input": {"file_path": "a.ts"}}</tool_use>'],
  ])('%s', (_how, content) => expect(meant(content)).toEqual(read));
  test('two', () => {
    const one = '<tool_use><name>read_file</name><arguments>{"file_path": "a"}</arguments></tool_use>';
    expect(names(`First:\n${one}\n${one}`)).toEqual(['read_file', 'read_file']);
  });
  test('cut off in a text', () =>
    expect(names('<tool_use><name>write_file</name><arguments>{"file_path": "a", "content": "x')).toBe(
      'malformed',
    ));
});

describe('arguments as a list', () => {
  test.each<[string, unknown, unknown]>([
    ['in the order of the schema', ['a.ts', 3, '7'], range],
    ['with the object in it', [{ file_path: 'a.ts' }], read],
    ['as text', '["a.ts"]', read],
  ])('%s', (_how, args, wanted) => {
    const content = write('read_file', args);
    expect(meant(content)).toEqual(wanted);
    expect(oneCall({ content })?.repaired).toBe(true);
  });
  test('with an effect', () =>
    expect(meant(write('write_file', ['a.ts', 'x\n']))).toEqual([
      'write_file',
      { file_path: 'a.ts', content: 'x\n' },
    ]));
  test('longer than the tool has arguments is refused', () =>
    expect(meant(write('read_file', ['a', 1, 2, 3]))[1]).toContain(
      'expected an object with named arguments',
    ));
  test('too short is left to the tool, which says what it needs', () =>
    expect(meant(write('write_file', ['a.ts']))).toEqual([
      'write_file',
      'Invalid arguments for write_file: content is required',
    ]));
});

test('arguments nested 10 000 deep are refused, as values and as text', () => {
  const deep = `{"a": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
  for (const args of [deep, JSON.stringify(deep)])
    expect(names(`{"name": "shell", "arguments": ${args}}`)).toBe('malformed');
});

const shortened = (reason: string): string =>
  reason.replace(/^the call of (.+?) was not run: /, '$1: ').replace(/\. Send the whole call again.*/s, '');

/**
 * An answer in one line: `family name {arguments} ; name {arguments} … why there are no more | prose before them`, or why
 * it has no calls.
 */
function readingOf(content: string): string {
  const answer = parseToolCalls({ content });
  if (answer.type === 'malformed') return `malformed: ${shortened(answer.reason)}`;
  if (answer.type !== 'tool_calls') return answer.type;
  const calls = answer.calls.map(({ name, arguments: args, repaired, id }) =>
    [
      name,
      JSON.stringify(args),
      ...(repaired ? ['repaired'] : []),
      ...(id === undefined ? [] : [`#${id}`]),
    ].join(' '),
  );
  const unread = answer.unread === undefined ? '' : ` … ${shortened(answer.unread)}`;
  const before = answer.content === undefined ? '' : ` | ${answer.content}`;
  return `${answer.family ?? 'json'} ${calls.join(' ; ')}${unread}${before}`;
}

describe.each([families, spelledOtherwise, writtenValues].flatMap(Object.entries<Readings>))(
  '%s',
  (_family, rows) => {
    test.each(Object.entries(rows))('%s', (_title, [text, reading]) => expect(readingOf(text)).toBe(reading));
  },
);

/** The shapes of JSON that count as a call, and those that look like one and do not. */
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

/** Calls that the server has read itself. */
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
