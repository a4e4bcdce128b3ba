/** What the tools of a task decide: which names are calls, and of what type their arguments are. */
import { describe, expect, test } from '@jest/globals';
import { knownTools, schemaWithAliases } from '../../sidecar/tools/known-tools.ts';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import { names, oneCall, readJson, tools } from '../answers/reading.ts';

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
    const known = knownTools(tools);
    expect(known).toMatchObject({ isExplicit: false });
    expect(known.schemaOf('run_command')).toMatchObject({ properties: { command: { type: 'string' } } });
    expect([known.knows('Read-File'), known.isExact('Read-File'), known.isExact('read_file')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test.each([
    ['a definition', { type: 'function', function: { name: 'weather', description: '', parameters: own } }],
    ['a name with parameters', { name: 'weather', parameters: own }],
  ])('%s: its schema, and no other tool', (_, tool) => {
    const known = knownTools([tool as never, { type: 'function', function: { name: 5 } } as never]);
    expect(known).toMatchObject({ isExplicit: true });
    expect(known.schemaOf('weather')).toEqual(own);
    expect([known.knows('weather'), known.knows('read_file'), known.schemaOf('read_file')]).toEqual([
      true,
      false,
      undefined,
    ]);
  });

  test('a name alone has the standard schema, where there is one', () => {
    expect(knownTools(['grep']).schemaOf('grep')).toEqual(knownTools(undefined).schemaOf('grep'));
    expect(knownTools(['weather']).schemaOf('weather')).toBeUndefined();
  });

  test('only tools that read, or keep the plan, change nothing', () => {
    const known = knownTools(undefined);
    const effects = ['read_file', 'View', 'grep', 'update_plan', 'write_file', 'bash', 'weather'].map(
      (name) => known.hasEffects(name),
    );
    expect(effects).toEqual([false, false, false, false, true, true, true]);
  });

  test('more names than it remembers', () => {
    const known = knownTools(['grep']);
    for (let name = 0; name < 2_000; name += 1) known.knows(`tool_${name}`);
    for (const again of [1, 2])
      expect([known.knows('grep'), known.knows('tool_5'), again]).toEqual([true, false, again]);
  });

  test('other names of parameters get the type of their own', () => {
    const schema = {
      type: 'object',
      properties: { file_path: { type: 'string' }, limit: { type: 'integer' } },
    };
    const long = 'x'.repeat(61);
    expect(schemaWithAliases(schema, { path: 'a', limit: '3', [long]: 1 })).toEqual({
      ...schema,
      properties: { ...schema.properties, path: { type: 'string' } },
    });
    expect(schemaWithAliases(schema, { limit: '3' })).toBe(schema);
    expect(schemaWithAliases(undefined, { path: 'a' })).toBeUndefined();
    expect(schemaWithAliases({ type: 'object' }, { path: 'a' })).toEqual({ type: 'object' });
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
