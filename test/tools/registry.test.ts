import { describe, expect, test } from '@jest/globals';
import * as z from 'zod';
import { resolveToolName, STANDARD_TOOL_NAMES } from '../../sidecar/tools/aliases.ts';
import { resolveArgumentAliases } from '../../sidecar/tools/argument-aliases.ts';
import { indexTools, addAliases } from '../../sidecar/tools/known-tools.ts';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import type { RegisteredTool } from '../../sidecar/tools/types.ts';
import { names, oneCall, readJson, tools } from '../parsing/answers/reading.ts';

const tool = (name: string, schema: z.ZodType = z.object({})): RegisteredTool => ({
  name,
  description: name,
  schema,
  readOnly: true,
  execute: async () => 'ok',
});

describe('the registry', () => {
  test('has the standard tools, each once', () => {
    const names = createToolRegistry().names();
    expect(names).toEqual([...STANDARD_TOOL_NAMES]);
    expect(new Set(names).size).toBe(names.length);
  });

  test('knows which tools only read', () => {
    const registry = createToolRegistry();
    expect(registry.names().filter((name) => registry.get(name)?.readOnly)).toEqual([
      'read_file',
      'grep',
      'glob',
      'list_directory',
    ]);
  });

  test.each([
    ['run_command', 'shell'],
    ['shell_exec', 'shell'],
    ['bash', 'shell'],
    ['execute_command', 'shell'],
    ['search_files', 'grep'],
    ['list_dir', 'list_directory'],
    ['ls', 'list_directory'],
    ['replace', 'edit_file'],
    ['str_replace', 'edit_file'],
    ['create_file', 'write_file'],
    ['ReadFile', 'read_file'],
    ['read-file', 'read_file'],
    ['READ_FILE', 'read_file'],
    ['Read File', 'read_file'],
    ['functions.read_file', 'read_file'],
    ['default_api:bash', 'shell'],
  ])('%s is %s', (name, canonical) => {
    expect(createToolRegistry().get(name)?.name).toBe(canonical);
    expect(resolveToolName(name)).toBe(canonical);
  });

  test.each(['', 'foo', '.', '..', 'x'.repeat(1000), 'constructor', '__proto__'])('%j is no tool', (name) => {
    expect(createToolRegistry().get(name)).toBeUndefined();
  });

  test('a registered tool wins over an alias of the same name', () => {
    const registry = createToolRegistry([tool('search')]);
    expect(registry.get('search')?.name).toBe('search');
    expect(registry.get('search_files')?.name).toBe('grep');
  });

  test('a registered tool replaces the standard one in its place', () => {
    const registry = createToolRegistry([{ ...tool('grep'), description: 'mine' }, tool('more')]);
    expect(registry.names()).toEqual([...STANDARD_TOOL_NAMES, 'more']);
    expect(registry.get('rg')?.description).toBe('mine');
    expect(registry.definitions().at(-1)?.function.name).toBe('more');
  });
});

describe('the definitions', () => {
  const definitions = createToolRegistry().definitions();
  const text = JSON.stringify(definitions);

  test('are the same bytes every time, in every registry', () => {
    const registry = createToolRegistry();
    expect(registry.definitions()).toBe(registry.definitions());
    expect(JSON.stringify(registry.definitions())).toBe(text);
  });

  test('are terse: under 3 500 bytes together', () => {
    expect(Buffer.byteLength(text)).toBeLessThan(3_500);
    for (const keyword of [
      '$schema',
      'additionalProperties',
      '9007199254740991',
      'oneOf',
      '$ref',
      'minLength',
    ])
      expect(text).not.toContain(keyword);
  });

  test('hold no argument that only calls of other harnesses have', () => {
    const registry = createToolRegistry();
    expect(JSON.stringify([registry.definitions(), definitions])).not.toContain('insert_line');
    expect(registry.argumentsOf(registry.get('edit')!).properties).toContain('insert_line');
  });

  test('tell the model not to commit', () => {
    const shell = definitions.find((definition) => definition.function.name === 'shell');
    expect(shell?.function.description).toContain('Do not git commit');
  });

  test('name the required arguments only as such', () => {
    const required = Object.fromEntries(
      definitions.map(({ function: { name, parameters } }) => [
        name,
        (parameters as { required?: string[] }).required ?? [],
      ]),
    );
    expect(required).toEqual({
      read_file: ['file_path'],
      write_file: ['file_path', 'content'],
      edit_file: ['file_path', 'old_string', 'new_string'],
      apply_patch: ['patch'],
      shell: ['command'],
      grep: ['pattern'],
      glob: ['pattern'],
      list_directory: [],
      update_plan: [],
    });
  });

  test('keep what a schema of others says, inline', () => {
    const shared = z.object({ x: z.number().min(3) });
    const registry = createToolRegistry([
      tool('mine', z.object({ default: z.string().default('a'), a: shared, b: shared.optional() })),
    ]);
    expect(registry.definitions().at(-1)?.function.parameters).toEqual({
      type: 'object',
      properties: {
        default: { type: 'string' },
        a: { type: 'object', properties: { x: { type: 'number', minimum: 3 } }, required: ['x'] },
        b: { type: 'object', properties: { x: { type: 'number', minimum: 3 } }, required: ['x'] },
      },
      required: ['a'],
    });
  });
});

describe('other names of arguments', () => {
  const registry = createToolRegistry();
  const resolve = (name: string, args: Record<string, unknown>): Record<string, unknown> =>
    resolveArgumentAliases(args, registry.argumentsOf(registry.get(name)!).properties);

  test.each([
    ['read_file', { path: 'a' }, { file_path: 'a' }],
    ['read_file', { filename: 'a' }, { file_path: 'a' }],
    ['read_file', { filePath: 'a', startLine: 5, endLine: 9 }, { file_path: 'a', offset: 5, limit: 5 }],
    [
      'read_file',
      { file_path: 'a', start_line: '5', end_line: '9' },
      { file_path: 'a', offset: '5', limit: 5 },
    ],
    ['read_file', { file_path: 'a', end_line: 9 }, { file_path: 'a', limit: 9 }],
    ['read_file', { file_path: 'a', start_line: 3, end_line: -1 }, { file_path: 'a', offset: 3 }],
    ['read_file', { file_path: 'a', limit: 2, end_line: 9 }, { file_path: 'a', limit: 2, end_line: 9 }],
    ['read_file', { file_path: 'a', path: 'b' }, { file_path: 'a', path: 'b' }],
    ['grep', { query: 'x', file_pattern: '*.ts' }, { pattern: 'x', include: '*.ts' }],
    ['grep', { pattern: 'x', glob_filter: '*.ts' }, { pattern: 'x', include: '*.ts' }],
    ['grep', { pattern: 'x', case_insensitive: true }, { pattern: 'x', case_sensitive: false }],
    ['grep', { pattern: 'x', ignore_case: 'false' }, { pattern: 'x', case_sensitive: true }],
    ['grep', { pattern: 'x', path: 'src' }, { pattern: 'x', path: 'src' }],
    ['shell', { cmd: 'ls' }, { command: 'ls' }],
    ['shell', { command: ['bash', '-lc', 'ls -l'] }, { command: 'ls -l' }],
    ['shell', { command: ['echo', "it's", 'a b'] }, { command: "echo 'it'\\''s' 'a b'" }],
    ['shell', { command: 'ls', timeout: 30 }, { command: 'ls', timeout_ms: 30_000 }],
    ['shell', { command: 'ls', timeout: 5_000 }, { command: 'ls', timeout_ms: 5_000 }],
    ['shell', { command: 'ls', timeout_seconds: 900 }, { command: 'ls', timeout_ms: 900_000 }],
    ['shell', { command: 'ls', cwd: 'src' }, { command: 'ls', working_dir: 'src' }],
    [
      'edit_file',
      { path: 'a', old_str: 'x', new_str: 'y' },
      { file_path: 'a', old_string: 'x', new_string: 'y' },
    ],
    ['write_file', { path: 'a', text: 'x' }, { file_path: 'a', content: 'x' }],
    ['apply_patch', { input: 'x' }, { patch: 'x' }],
    ['list_directory', { directory: 'src' }, { path: 'src' }],
  ])('%s %j', (name, args, resolved) => {
    expect(resolve(name, args)).toEqual(resolved);
  });
});

/** What the tools of a task decide: which names are calls, and of what type their arguments are. */
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

describe('what is known of a tool', () => {
  const own = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } };

  test.each([
    ['none', undefined],
    ['an object without definitions', { tools: [] } as never],
    ['definitions that are no list', { definitions: () => 'x' } as never],
  ])('%s given: the standard tools', (_, tools) => {
    const known = indexTools(tools);
    expect(known).toMatchObject({ isExplicit: false });
    expect(known.schemaOf('run_command')).toMatchObject({ properties: { command: { type: 'string' } } });
    expect([known.isTool('Read-File'), known.isExact('Read-File'), known.isExact('read_file')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test.each([
    ['a definition', { type: 'function', function: { name: 'weather', description: '', parameters: own } }],
    ['a name with parameters', { name: 'weather', parameters: own }],
  ])('%s: its schema, and no other tool', (_, tool) => {
    const known = indexTools([tool as never, { type: 'function', function: { name: 5 } } as never]);
    expect(known).toMatchObject({ isExplicit: true });
    expect(known.schemaOf('weather')).toEqual(own);
    expect([known.isTool('weather'), known.isTool('read_file'), known.schemaOf('read_file')]).toEqual([
      true,
      false,
      undefined,
    ]);
  });

  test('a name alone has the standard schema, where there is one', () => {
    expect(indexTools(['grep']).schemaOf('grep')).toEqual(indexTools(undefined).schemaOf('grep'));
    expect(indexTools(['weather']).schemaOf('weather')).toBeUndefined();
  });

  test('only tools that read, or keep the plan, change nothing', () => {
    const known = indexTools(undefined);
    const effects = ['read_file', 'View', 'grep', 'update_plan', 'write_file', 'bash', 'weather'].map(
      (name) => known.hasEffects(name),
    );
    expect(effects).toEqual([false, false, false, false, true, true, true]);
  });

  test('more names than it remembers', () => {
    const known = indexTools(['grep']);
    for (let name = 0; name < 2_000; name += 1) known.isTool(`tool_${name}`);
    for (const again of [1, 2])
      expect([known.isTool('grep'), known.isTool('tool_5'), again]).toEqual([true, false, again]);
  });

  test('other names of parameters get the type of their own', () => {
    const schema = {
      type: 'object',
      properties: { file_path: { type: 'string' }, limit: { type: 'integer' } },
    };
    const long = 'x'.repeat(61);
    expect(addAliases(schema, { path: 'a', limit: '3', [long]: 1 })).toEqual({
      ...schema,
      properties: { ...schema.properties, path: { type: 'string' } },
    });
    expect(addAliases(schema, { limit: '3' })).toBe(schema);
    expect(addAliases(undefined, { path: 'a' })).toBeUndefined();
    expect(addAliases({ type: 'object' }, { path: 'a' })).toEqual({ type: 'object' });
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
