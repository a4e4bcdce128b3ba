/** Whatever a model writes: reading it never throws, never hangs, and gives one of the known outcomes. */
import { describe, expect, test } from '@jest/globals';
import * as fc from '../../support/properties.ts';
import { parseToolCalls } from '../../../sidecar/parsing/answers/parse-answer.ts';
import { dialects as formats } from '../../../sidecar/parsing/answers/dialects.ts';
import { families } from './families.cases.ts';
import { scaled } from '../../support/scale.ts';

const numRuns = scaled({ quick: 400, full: 5_000 });
const outcomes = ['tool_calls', 'final_answer', 'approval', 'malformed', 'empty'];
const modes = ['native', 'structured', 'text'] as const;
const seeds = Object.values(families).flatMap((rows) => Object.values(rows).map(([text]) => text));

/** The outcome's shape, which callers rely on. */
function check(content: string, mode: (typeof modes)[number] = 'native'): void {
  const answer = parseToolCalls({ content }, { mode, tools: ['read_file', 'shell'] });
  expect(outcomes).toContain(answer.type);
  if (answer.type !== 'tool_calls') return;
  expect(answer.calls.length).toBeGreaterThan(0);
  for (const call of answer.calls) {
    expect(call.name).not.toBe('');
    expect(typeof call.arguments === 'string' || !Array.isArray(call.arguments)).toBe(true);
  }
}

const marks = formats.flatMap(({ openMark, closeMarks }) => [openMark, ...closeMarks]);
const pieces = fc.constantFrom(
  ...marks,
  ...'{ } [ ] " \' \\ : , ; ( ) = < > ` \n'.split(' '),
  '<think>',
  '</think>',
  '"name"',
  '"arguments"',
  'read_file',
  'shell',
  '<function=shell>',
  '<parameter=command>',
  '</parameter>',
  '</function>',
  '<arg_key>',
  '</arg_key>',
  '<arg_value>',
  '</arg_value>',
  '```json\n',
  '{"name": "shell", "arguments": {"command": "ls"}}',
  '{"tool_calls": [',
  '{"response": "',
  'call:shell{',
  '<|"|>',
  '[ARGS]',
  'a',
  '1',
  ' ',
);

describe('any text', () => {
  test('random text in any mode', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom(...modes), check), {
      numRuns,
    });
  });
  test('marks and fragments in any order', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), fc.constantFrom(...modes), (parts, mode) =>
        check(parts.join(''), mode),
      ),
      { numRuns: numRuns * 3 },
    );
  });
  test('valid answers, changed at random places', () => {
    const change = fc.record({
      at: fc.nat(400),
      remove: fc.nat(12),
      insert: fc.oneof(pieces, fc.constant('')),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        (seed, changes) => {
          let text = seed;
          for (const { at, remove, insert } of changes) {
            const position = at % (text.length + 1);
            text = text.slice(0, position) + insert + text.slice(position + remove);
          }
          check(text);
        },
      ),
      { numRuns: numRuns * 2 },
    );
  });
  test('valid answers, cut off anywhere', () => {
    for (const seed of seeds) for (let end = 0; end < seed.length; end += 3) check(seed.slice(0, end));
  });
  test('any message', () => {
    fc.assert(
      fc.property(fc.anything(), (message) => {
        expect(outcomes).toContain(parseToolCalls(message as never).type);
        expect(outcomes).toContain(parseToolCalls({ tool_calls: [message] }).type);
        expect(outcomes).toContain(
          parseToolCalls({ content: '{"name": "a"}' }, { tools: [message] as never }).type,
        );
      }),
      { numRuns },
    );
  });
});

describe('round trips', () => {
  const args = fc.dictionary(
    fc
      .string({ unit: fc.constantFrom('a', 'b', 'c', '_'), minLength: 1, maxLength: 8 })
      .map((key) => `x_${key}`),
    fc.jsonValue({ maxDepth: 3 }),
    { maxKeys: 4 },
  );
  const name = fc.constantFrom('web_search', 'get-weather', 'ns.tool');
  const same = (text: string, call: { name: string; arguments: unknown }) => {
    const answer = parseToolCalls({ content: text });
    expect(answer).toMatchObject({ type: 'tool_calls' });
    expect(answer.type === 'tool_calls' && answer.calls).toEqual([call]);
  };
  /** JSON has no -0; everything else survives. */
  const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  test.each<[string, (name: string, args: string) => string]>([
    ['bare JSON', (n, a) => `{"name": "${n}", "arguments": ${a}}`],
    ['JSON in prose', (n, a) => `So "this" it's {it}: {"name": "${n}", "arguments": ${a}}`],
    ['hermes', (n, a) => `<tool_call>\n{"name": "${n}", "arguments": ${a}}\n</tool_call>`],
    ['mistral', (n, a) => `[TOOL_CALLS]${n}[ARGS]${a}`],
    ['kimi', (n, a) => `<|tool_call_begin|>functions.${n}<|tool_call_argument_begin|>${a}<|tool_call_end|>`],
    [
      'deepseek',
      (n, a) =>
        `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${n}\n\`\`\`json\n${a}\n\`\`\`<｜tool▁call▁end｜>`,
    ],
    ['apertus', (n, a) => `<|tools_prefix|>[{"${n}": ${a}}]<|tools_suffix|>`],
  ])('%s keeps every argument', (_title, write) => {
    fc.assert(
      fc.property(name, args, (called, given) => {
        const value = asJson(given) as Record<string, unknown>;
        same(write(called, JSON.stringify(value)), { name: called, arguments: value });
      }),
      { numRuns },
    );
  });

  const literal = (value: unknown): string => {
    if (value === null) return 'None';
    if (typeof value === 'boolean') return value ? 'True' : 'False';
    if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
    if (typeof value === 'object')
      return `{${Object.entries(value)
        .map(([key, inner]) => `${JSON.stringify(key)}: ${literal(inner)}`)
        .join(', ')}}`;
    return JSON.stringify(value);
  };
  test('pythonic keeps every argument', () => {
    fc.assert(
      fc.property(args, (given) => {
        const value = asJson(given) as Record<string, unknown>;
        const list = Object.entries(value).map(([key, inner]) => `${key}=${literal(inner)}`);
        same(`<|python_start|>[web_search(${list.join(', ')})]<|python_end|>`, {
          name: 'web_search',
          arguments: value,
        });
      }),
      { numRuns },
    );
  });

  const gemma = (value: unknown): string => {
    if (typeof value === 'string') return `<|"|>${value}<|"|>`;
    if (Array.isArray(value)) return `[${value.map(gemma).join(',')}]`;
    if (typeof value === 'object' && value !== null)
      return `{${Object.entries(value)
        .map(([key, inner]) => `${key}:${gemma(inner)}`)
        .join(',')}}`;
    return JSON.stringify(value);
  };
  const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((value) => !value.includes('<|"|>'));
  const simple = fc.oneof(
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(text, { maxLength: 3 }),
  );
  const simpleArgs = fc.dictionary(fc.constantFrom('x_a', 'x_b', 'x_c'), simple);
  test('gemma keeps every argument', () => {
    fc.assert(
      fc.property(simpleArgs, (given) => {
        same(`<|tool_call>call:web_search${gemma({ ...given })}<tool_call|>`, {
          name: 'web_search',
          arguments: asJson(given),
        });
      }),
      { numRuns },
    );
  });

  const characters = ['a', ' ', '{', '}', '"', "'", '[', ']', '<', '>', '\n', '\\', '&', ';', '/'];
  const value = fc
    .string({
      unit: fc.constantFrom(...characters, '</p>', '<tool_call>', '{"name": "x"}'),
      maxLength: 30,
    })
    .filter((v) => !/<\/?(parameter|arg_value|function|invoke)/.test(v));
  const textArgs = fc.dictionary(fc.constantFrom('x_a', 'x_b', 'x_c'), value, { minKeys: 1 });
  test.each<[string, (entries: [string, string][]) => string]>([
    [
      'qwen3-coder',
      (entries) =>
        `<tool_call>\n<function=web_search>\n${entries.map(([k, v]) => `<parameter=${k}>\n${v}\n</parameter>\n`).join('')}</function>\n</tool_call>`,
    ],
    [
      'glm',
      (entries) =>
        `<tool_call>web_search\n${entries.map(([k, v]) => `<arg_key>${k}</arg_key>\n<arg_value>${v}</arg_value>\n`).join('')}</tool_call>`,
    ],
    [
      'minimax m2',
      (entries) =>
        `<minimax:tool_call>\n<invoke name="web_search">\n${entries.map(([k, v]) => `<parameter name="${k}">${v}</parameter>\n`).join('')}</invoke>\n</minimax:tool_call>`,
    ],
  ])('%s keeps every text', (title, write) => {
    fc.assert(
      fc.property(textArgs, (given) => {
        // Where the template puts no line breaks, one on each side is taken for the model's own layout.
        fc.pre(
          title === 'qwen3-coder' ||
            Object.values(given).every((v) => !(v.startsWith('\n') && v.endsWith('\n'))),
        );
        same(write(Object.entries(given)), { name: 'web_search', arguments: { ...given } });
      }),
      { numRuns },
    );
  });
});
