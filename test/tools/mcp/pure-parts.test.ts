import { describe, expect, test } from '@jest/globals';
import * as fc from '../../support/properties.ts';
import { declareTools } from '../../../sidecar/tools/mcp/declare-tools.ts';
import { outputOf } from '../../../sidecar/tools/mcp/result-text.ts';
import { nameFor } from '../../../sidecar/tools/mcp/tool-names.ts';
import { bytesOf, cutTool } from '../../../sidecar/tools/mcp/tool-schema.ts';
import { server } from './server-fixture.ts';

describe('the name of a tool', () => {
  test.each([
    ['fs', 'readTextFile', 'fs_read_text_file'],
    ['git', 'git_status', 'git_status'],
    ['My-Server', 'create entities!', 'my_server_create_entities'],
    ['web', '検索', 'web_tool'],
    ['memory', 'x'.repeat(100), `memory_${'x'.repeat(33)}`],
  ])('of %s %s is %s', (from, tool, name) => {
    expect(nameFor(from, tool, new Set())).toBe(name);
  });

  test('is nobody else’s, in any spelling', () => {
    const taken = new Set(['fsread', 'readfile']);
    expect(nameFor('fs', 'read', taken)).toBe('fs_read_2');
    expect(nameFor('fs', 'read', taken)).toBe('fs_read_3');
    expect(nameFor('read', 'file', taken)).toBe('read_file_2');
    expect(nameFor('list', 'dir', taken)).toBe('list_dir_2');
  });

  test('is short and safe, whatever it comes from', () => {
    const taken = new Set<string>();
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (from, tool) => {
        const before = taken.size;
        expect(nameFor(from, tool, taken)).toMatch(/^[a-z0-9][a-z0-9_]{0,39}$/);
        expect(taken.size).toBe(before + 1);
      }),
    );
  });
});

describe('the schema of a tool', () => {
  const listed = (inputSchema: object, description = 'It does things.') => ({
    name: 'tool',
    description,
    inputSchema: inputSchema as Record<string, unknown>,
  });

  test('keeps what says something to a model', () => {
    const cut = cutTool(
      listed({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        additionalProperties: false,
        required: ['path'],
        properties: {
          limit: { anyOf: [{ type: 'integer', minimum: 1, default: 5 }, { type: 'null' }], title: 'Limit' },
          path: { $ref: '#/$defs/path', description: 'Which\n  file' },
          kind: { type: 'string', enum: ['a', 'b'] },
          edits: {
            type: 'array',
            items: { type: 'object', properties: { old: { type: ['string', 'null'] } } },
          },
          any: {},
        },
        $defs: { path: { type: 'string', pattern: '^(a+)+$', format: 'uri' } },
      }),
      900,
    );
    expect(cut).toEqual({
      description: 'It does things.',
      parameters: {
        type: 'object',
        required: ['path'],
        properties: {
          path: { type: 'string', description: 'Which file' },
          limit: { type: 'integer', minimum: 1 },
          kind: { enum: ['a', 'b'] },
          edits: { type: 'array', items: { type: 'object', properties: { old: { type: 'string' } } } },
          any: {},
        },
      },
    });
  });

  test('gives up descriptions, then depth, then what may be left out', () => {
    const long = 'word '.repeat(100);
    const inputSchema = {
      type: 'object',
      required: ['wanted'],
      properties: {
        wanted: {
          type: 'object',
          description: long,
          properties: { inner: { type: 'string', description: long } },
        },
        optional: { type: 'string', description: long },
      },
    };
    const sizes = [600, 400, 220, 150].map((maxBytes) => cutTool(listed(inputSchema), maxBytes));
    for (const [index, cut] of sizes.entries())
      expect(bytesOf(cut!)).toBeLessThanOrEqual([600, 400, 220, 150][index]!);
    expect(sizes[0]?.parameters.properties.wanted).toHaveProperty('properties.inner');
    expect(sizes.at(-1)?.parameters).toEqual({
      type: 'object',
      required: ['wanted'],
      properties: { wanted: { type: 'object' } },
    });
    expect(cutTool(listed(inputSchema), 50)).toBeUndefined();
  });

  test('that refers to itself, or is no schema at all, is borne', () => {
    const circle = { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] };
    expect(cutTool(listed(circle), 900)?.parameters.properties.a).toMatchObject({ type: 'object' });
    expect(cutTool(listed({ properties: { a: { $ref: '#/properties/a' } } }), 900)).toBeDefined();
    expect(cutTool(listed({ required: ['missing'] }), 900)).toBeUndefined();
    expect(cutTool(listed({ properties: 'x', required: 7 }), 900)?.parameters.properties).toEqual({});
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const cut = cutTool(listed({ properties: value, $defs: value, anyOf: value }), 900);
        if (cut) expect(bytesOf(cut)).toBeLessThanOrEqual(900);
      }),
    );
  });
});

test('the tools of all servers share one budget, and what has no room is named', () => {
  const tools = Array.from({ length: 40 }, (_, index) => ({
    name: `tool${String(index).padStart(2, '0')}`,
    description: 'x'.repeat(100),
    inputSchema: {},
  }));
  const { tools: declared, notes } = declareTools(
    [
      { server: server({ name: 'first' }), tools: tools.toReversed() },
      { server: server({ name: 'second' }), tools },
    ],
    { taken: [], maxBytes: 2_000, call: () => Promise.reject(new Error('not called')) },
  );
  expect(declared.map(({ name }) => name)).toEqual(
    tools.slice(0, declared.length).map(({ name }) => `first_${name}`),
  );
  expect(declared.length).toBeGreaterThan(8);
  expect(notes).toEqual([
    expect.stringContaining('Of the MCP server first there is no room for tool1'),
    expect.stringContaining('tools.mcp.second.only'),
  ]);
});

test('a result is its texts; what is no text is named and left out', () => {
  expect(
    outputOf({
      content: [
        { type: 'text', text: 'one' },
        { type: 'audio', mimeType: 'audio/wav', data: 'AAAAAAAA' },
        { type: 'resource', resource: { uri: 'file:///a', text: 'two' } },
        { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA' } },
        { type: 'resource_link', uri: 'file:///c', name: 'c' },
      ],
    }),
  ).toEqual({
    text: 'one\n[audio left out: audio/wav, 6 bytes]\n[file:///a]\ntwo\n[file file:///b left out: 3 bytes]\n[resource c: file:///c]',
    isError: false,
  });
  expect(outputOf({ content: [], structuredContent: { a: 1 } })).toMatchObject({ text: '{"a":1}' });
  expect(outputOf({ content: [], isError: true })).toEqual({
    text: '(the tool answered without a text)',
    isError: true,
  });
});
