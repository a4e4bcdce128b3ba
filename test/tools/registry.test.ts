import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { resolveToolName, STANDARD_TOOL_NAMES } from '../../sidecar/tools/aliases.ts';
import { resolveArgumentAliases } from '../../sidecar/tools/argument-aliases.ts';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import type { RegisteredTool } from '../../sidecar/tools/types.ts';

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
    const registry = createToolRegistry();
    registry.register({ ...tool('grep'), description: 'mine' });
    expect(registry.names()).toEqual([...STANDARD_TOOL_NAMES]);
    expect(registry.get('rg')?.description).toBe('mine');
    registry.register(tool('more'));
    expect(registry.names().at(-1)).toBe('more');
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
