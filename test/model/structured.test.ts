import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import * as fc from '../support/properties.ts';
import type { ToolDefinition } from '../../sidecar/model/chat.ts';
import { parseToolCalls } from '../../sidecar/parsing/answers/parse-answer.ts';
import {
  describeToolsAsText,
  MAX_SCHEMA_CHARS,
  buildStructuredCorrection,
  buildStructuredSchema,
} from '../../sidecar/model/structured.ts';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import { scaled } from '../support/scale.ts';

const definitions = createToolRegistry().definitions();
const ajv = new Ajv({ strict: false });
const accepts = ajv.compile(buildStructuredSchema(definitions));
const acceptsApproval = ajv.compile(buildStructuredSchema(definitions, { approval: true }));
const validators = new Map(
  definitions.map(({ function: tool }) => [
    tool.name,
    ajv.compile({ ...tool.parameters, additionalProperties: false }),
  ]),
);
const read = { name: 'read_file', parameters: { file_path: 'a.ts' } };
const tool = (name: string, parameters: object): ToolDefinition => ({
  type: 'function',
  function: { name, description: 'Does things.', parameters },
});
const keywordsIn = (schema: unknown): string[] =>
  typeof schema === 'object' && schema !== null
    ? Object.entries(schema).flatMap(([key, value]) => [key, ...keywordsIn(value)])
    : [];

describe('the schema of a structured answer', () => {
  test.each<[string, unknown, boolean]>([
    ['one call', { tool_calls: [read] }, true],
    ['several calls', { tool_calls: [read, { name: 'shell', parameters: { command: 'ls' } }] }, true],
    ['a response', { response: 'Done.' }, true],
    ['calls and a response', { tool_calls: [read], response: 'x' }, false],
    ['no calls', { tool_calls: [] }, false],
    ['nothing', {}, false],
    ['a list', [read], false],
    ['one call without a list', { tool_calls: read }, false],
    ['an unknown tool', { tool_calls: [{ name: 'teleport', parameters: {} }] }, false],
    ['a parameter missing', { tool_calls: [{ name: 'read_file', parameters: {} }] }, false],
    ['a parameter of the wrong type', { tool_calls: [{ name: 'shell', parameters: { command: 5 } }] }, false],
    ['another tool’s parameters', { tool_calls: [{ name: 'shell', parameters: read.parameters }] }, false],
    [
      'a parameter that there is not',
      { tool_calls: [{ name: 'glob', parameters: { pattern: 'x', y: 1 } }] },
      false,
    ],
    ['more keys in a call', { tool_calls: [{ ...read, id: '1' }] }, false],
    ['a response that is no text', { response: 5 }, false],
    ['a request for approval', { request_approval: 'May I?' }, false],
  ])('%s', (_title, answer, valid) => expect(accepts(answer)).toBe(valid));

  test('has the third branch only where a person may be asked', () => {
    expect(acceptsApproval({ request_approval: 'May I?' })).toBe(true);
    expect(acceptsApproval({ request_approval: 'May I?', response: 'x' })).toBe(false);
  });
  test('keeps to what the grammar builder knows', () => {
    const text = {
      type: 'string',
      pattern: '^a',
      format: 'uri',
      description: 'x',
      maxLength: 5,
      default: 'a',
    };
    const union = { oneOf: [{ $ref: '#/$defs/x' }, { type: 'integer', minimum: 1, maximum: 9 }] };
    const properties = { text, union, list: { type: 'array', items: text, maxItems: 3 } };
    const keywords = keywordsIn(
      buildStructuredSchema([tool('t', { type: 'object', properties, $defs: {} })]),
    );
    const known = 'anyOf type properties required additionalProperties items minItems const'.split(' ');
    const names = ['tool_calls', 'response', 'name', 'parameters', 'text', 'union', 'list'];
    expect(keywords.filter((key) => ![...known, ...names].includes(key) && !/^\d+$/.test(key))).toEqual([]);
  });
  test('is the same bytes for the same tools', () =>
    expect(JSON.stringify(buildStructuredSchema(definitions))).toBe(
      JSON.stringify(buildStructuredSchema(definitions)),
    ));
  test('without tools only the other branches are left', () =>
    expect(ajv.compile(buildStructuredSchema([]))({ tool_calls: [] })).toBe(false));

  const parameters = fc.dictionary(
    fc.constantFrom('file_path', 'pattern', 'command', 'limit', 'path', 'recursive', 'content', 'extra'),
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
    { maxKeys: 3 },
  );
  const call = fc.record({ name: fc.constantFrom(...validators.keys(), 'other'), parameters });
  test('accepts exactly the calls that the tools’ own schemas accept', () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 3 }), (calls) => {
        const valid = calls.every(({ name, parameters: given }) => validators.get(name)?.(given) === true);
        expect(accepts({ tool_calls: calls })).toBe(valid);
      }),
      { numRuns: scaled({ quick: 500, full: 5_000 }) },
    );
  });
  test('whatever it accepts the parser reads', () => {
    const answer = fc.oneof(
      fc.record({ tool_calls: fc.array(call, { maxLength: 3 }) }),
      fc.record({ response: fc.string() }),
      fc.record({ request_approval: fc.string() }),
    );
    fc.assert(
      fc.property(answer, (value) => {
        fc.pre(acceptsApproval(value));
        const read = parseToolCalls(
          { content: JSON.stringify(value) },
          { mode: 'structured', tools: definitions },
        );
        expect(read.type).not.toBe('malformed');
        if ('tool_calls' in value && read.type === 'tool_calls')
          expect(read.calls.map(({ name }) => name)).toEqual(value.tool_calls.map(({ name }) => name));
      }),
      { numRuns: 300 },
    );
  });

  const wide = (count: number) => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `parameter_number_${i}`,
        { type: 'string', enum: ['a', 'b'] },
      ]),
    ),
  });
  test('too large: the largest parameters become any object, the others stay exact', () => {
    const schema = buildStructuredSchema([tool('big', wide(600)), tool('small', wide(1))]);
    expect(JSON.stringify(schema).length).toBeLessThan(MAX_SCHEMA_CHARS + 1000);
    const check = ajv.compile(schema);
    expect(check({ tool_calls: [{ name: 'big', parameters: { anything: 1 } }] })).toBe(true);
    expect(check({ tool_calls: [{ name: 'small', parameters: { anything: 1 } }] })).toBe(false);
  });
  test('too many tools: one branch for all names', () => {
    const many = Array.from({ length: 1000 }, (_, i) => tool(`tool_${i}`, wide(3)));
    const check = ajv.compile(buildStructuredSchema(many));
    expect(check({ tool_calls: [{ name: 'tool_999', parameters: {} }] })).toBe(true);
    expect(check({ tool_calls: [{ name: 'tool_1000', parameters: {} }] })).toBe(false);
  });
  test('unions, lists, free objects and unknown types survive', () => {
    const check = ajv.compile(
      buildStructuredSchema([
        tool('t', {
          type: 'object',
          properties: {
            union: { oneOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
            list: {
              type: 'array',
              items: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
            },
            map: { type: 'object', additionalProperties: { type: 'number' } },
            any: { $ref: '#/x' },
            kind: { enum: ['a', 'b'] },
          },
        }),
      ]),
    );
    const parameters = { union: null, list: [{ a: 'x' }], map: { k: 1 }, any: [1], kind: 'b' };
    expect(check({ tool_calls: [{ name: 't', parameters }] })).toBe(true);
    for (const wrong of [{ union: 'x' }, { list: [{}] }, { map: { k: 'x' } }, { kind: 'c' }])
      expect(check({ tool_calls: [{ name: 't', parameters: { ...parameters, ...wrong } }] })).toBe(false);
  });
});

describe('tools as text', () => {
  test('one line a tool, optional parameters with a question mark', () => {
    const text = describeToolsAsText([
      tool('t', {
        type: 'object',
        properties: {
          a: { type: 'string' },
          b: { type: 'array', items: { type: 'object', properties: { c: { type: 'integer' } } } },
          d: { enum: ['x', 'y'] },
          e: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          f: {},
        },
        required: ['a'],
      }),
      tool('u', { type: 'object' }),
    ]);
    expect(text).toBe(
      '- t(a: string, b?: {c: integer}[], d?: "x"|"y", e?: string|null, f?: any): Does things.\n- u(): Does things.',
    );
  });
  test('what a parameter means stands under its tool', () => {
    const patch = { type: 'string', description: '*** Begin Patch\n*** End Patch' };
    const text = describeToolsAsText([tool('t', { type: 'object', properties: { patch } })]);
    expect(text).toBe('- t(patch?: string): Does things.\n    patch: *** Begin Patch\n      *** End Patch');
  });
  test('the standard tools stay terse', () =>
    expect(Buffer.byteLength(describeToolsAsText(definitions))).toBeLessThan(2000));
});

describe('the correction of a malformed answer', () => {
  test('says what was wrong and shows the wrong and the right shape', () => {
    const text = buildStructuredCorrection('tool_calls is not an array', { content: '{"tool_calls": {}}' });
    expect(text).toContain('tool_calls is not an array');
    expect(text).toContain('Wrong: {"tool_calls": {}}');
    expect(text).toContain('{"tool_calls": [{"name"');
    expect(text).toContain('{"response":');
    expect(text).not.toContain('request_approval');
  });
  test('its right shapes are right', () => {
    const shapes = buildStructuredCorrection('x', { approval: true })
      .split('\n')
      .flatMap((line) => (line.startsWith('Right') ? [line.slice(line.indexOf('{'))] : []));
    const types = shapes.map((content) => parseToolCalls({ content }, { mode: 'structured' }).type);
    expect(types).toEqual(['tool_calls', 'final_answer', 'approval']);
  });
  test('shows only the beginning of a long answer', () =>
    expect(buildStructuredCorrection('x', { content: 'y'.repeat(5000) }).length).toBeLessThan(1000));
});
