/** Calls as models write them that were trained with other harnesses: their tools' names, arguments and shapes. */
import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { prepareArguments } from '../../sidecar/tools/arguments.ts';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import { names, oneCall } from './reading.ts';

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
