import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../../sidecar/parsing/answers/parse-answer.ts';
import {
  isBlank,
  extractProseBeforeCall,
  trimProse,
  extractVisibleText,
} from '../../../sidecar/parsing/answers/prose.ts';
import { createToolRegistry } from '../../../sidecar/tools/registry.ts';
import { processorMs } from '../../support/pace.ts';
import { scaled } from '../../support/scale.ts';
import { hostileTexts } from './hostile.cases.ts';
import { quotedTexts } from './quoted.cases.ts';
import { globJson, names, native, oneCall, readJson, tools } from './reading.ts';

describe('the prose of an answer', () => {
  test.each<[[number, number][], number, number, string]>([
    [[], 0, 6, 'abcdef'],
    [[], 2, 2, ''],
    [
      [
        [1, 2],
        [4, 5],
      ],
      0,
      6,
      'acdf',
    ],
    [
      [
        [0, 2],
        [2, 6],
      ],
      0,
      6,
      '',
    ],
    [
      [
        [0, 2],
        [4, 6],
      ],
      1,
      5,
      'cd',
    ],
    [
      [
        [1, 5],
        [2, 3],
      ],
      0,
      6,
      'af',
    ],
    [
      [
        [0, 1],
        [5, 6],
      ],
      1,
      5,
      'bcde',
    ],
  ])('without the spans %j, from %i to %i', (spans, from, to, left) => {
    const removed = spans.map(([start, end]) => ({ start, end }));
    expect(extractVisibleText('abcdef', removed, from, to)).toBe(left);
  });

  test.each([
    ['  Done. ', 'Done.'],
    ['<|start|>assistant<|channel|>final<|message|> Done.<|return|>', 'Done.'],
    ['</s>', ''],
    ['</s> </s> x </s> <|im_end|> </s>', 'x'],
    ['>>>all\nDone.', 'Done.'],
    ['a </s> b', 'a </s> b'],
  ])('without marks of templates at its ends: %j', (text, trimmed) => expect(trimProse(text)).toBe(trimmed));

  test.each([
    ['I look:\n```json\n', 'I look:'],
    ['I look:\n[ ', 'I look:'],
    ['I look:\n```tool_call\n[', 'I look:'],
    ['See a[0] and ', 'See a[0] and'],
    ['```ts\nx\n```', '```ts\nx'],
  ])('before a call, without what opens it: %j', (text, prose) =>
    expect(extractProseBeforeCall(text)).toBe(prose),
  );

  test.each([
    ['', true],
    [' \n[ ],;', true],
    ['```json\n[', true],
    ['``` ,;', true],
    ['</s>', true],
    ['x', false],
    ['```json x', false],
    ['; ok', false],
    [','.repeat(999), true],
    [','.repeat(1001), false],
  ])('%j says nothing: %s', (text, blank) => expect(isBlank(text)).toBe(blank));
});

describe('quoted', () => {
  const tools = createToolRegistry();

  describe('a call that is only quoted is not run', () => {
    describe.each(Object.entries(quotedTexts))('%s', (_kind, texts) => {
      test.each(texts)('%j', (text) => {
        expect(names(text, { tools })).toBe('final_answer');
        expect(names(text)).toBe('final_answer');
      });
    });
  });

  describe('a call that is made is run', () => {
    const read = '{"name": "read_file", "arguments": {"file_path": "src/a.ts"}}';
    test.each([
      `I will now read the file: ${read}`,
      `The test failed, so I have to look.\n\n${read}`,
      `Let me look at the file...\n\n${read}`,
      `Now I call read_file:\n\`\`\`json\n${read}\n\`\`\``,
      `\`\`\`json\n${read}\n\`\`\``,
      `${read}\n\nI will wait for the result.`,
      `\`\`\`json\n${read}\n\`\`\`\n\nI will wait for the result.`,
      `I looked at \`b.ts\` and it is right. Next:\n<tool_call>${read}</tool_call>`,
      `To fix it, let me first look:\n<tool_call>${read}</tool_call>`,
      `1. I will read the file.\n${read}`,
    ])('%j', (text) => expect(names(text, { tools })).toEqual(['read_file']));
  });
});

/** What a model thinks is no part of what it says. */
describe('thinking is removed first', () => {
  test.each<[string, string, unknown]>([
    ['before the call', `<think>hm</think>${readJson}`, ['read_file']],
    ['a call in it does not count', `<think>${readJson}</think>Done.`, 'final_answer'],
    [
      'a tagged call in it does not count',
      `<think><tool_call>${readJson}</tool_call></think>Done.`,
      'final_answer',
    ],
    ['unclosed', `<think>I could call <tool_call>${readJson}</tool_call>, or not`, 'empty'],
    [
      'unclosed, with a call at its end',
      `<think>I will call <tool_call>${readJson}</tool_call>`,
      ['read_file'],
    ],
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

/** Answers in structured mode, to which a grammar was given. */
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
    ['broken and too large', `{"tool_calls": [${'x" '.repeat(14_000)}`, 'has no quotes'],
    ['too deep', `{"tool_calls": ${'['.repeat(110)}`, 'deeper than'],
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
        { name: 'read_file', arguments: { limit: 5 }, repaired: true },
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
  test.each([
    ['opened by the prompt', 'hm, {a}</think>\n{"response": "x"}'],
    ['twice', ' <think>a</think> \n <think>b</think>{"response": "x"}'],
    ['beside a key that is null', '{"response": "x", "request_approval": null, "tool_calls": null}'],
    ['with a mark of thinking in its text', '{"response": "x"}'],
  ])('an answer behind thinking: %s', (_, content) =>
    expect(parseToolCalls({ content }, mode)).toEqual({ type: 'final_answer', content: 'x' }),
  );
  test.each([
    ['thinking that goes on', '<think>{"response": "x"}', 'empty'],
    ['a text that speaks of thinking', '{"response": "a </think> b"}', 'final_answer'],
    ['a call that is no object', '{"tool_calls": ["glob"]}', 'malformed'],
    ['a brace too many', '{"response": "x"}}', 'malformed'],
    ['single quotes and a word behind', "{'response': 'x'} ok", 'malformed'],
    ['an approval that is no text', '{"request_approval": true}', 'malformed'],
  ])('%s', (_, content, type) => expect(parseToolCalls({ content }, mode).type).toBe(type));
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

/**
 * Answers without a call, most of code, as models gave them (those named `model-` by Qwen 2.5 Coder 1.5B): nothing in
 * them is read as a call.
 */
const cases = join(import.meta.dirname, '../../cases/applying');

describe('an answer that holds code and no call', () => {
  test.each(readdirSync(cases))('%s', (name) => {
    const content = readFileSync(join(cases, name, 'answer.txt'), 'utf8');
    expect(parseToolCalls({ content })).toEqual({ type: 'final_answer', content: content.trim() });
  });
});

/**
 * Long texts of anything are read to their end; the bench has the times. Regular expressions are not optimized here: a
 * process that has compiled much of their code stops doing that, and what is slow then hangs.
 */
describe('hostile', () => {
  const length = scaled({ quick: 100_000, full: 1_000_000 });
  /** Many times what reading in linear time takes on a slow machine, and less than any other way takes. */
  const HANGS_MS = 10_000;

  beforeAll(() => setFlagsFromString('--no-regexp-optimization'));
  afterAll(() => setFlagsFromString('--regexp-optimization'));

  describe('a long hostile text', () => {
    test.each(hostileTexts(length))('%s', (_title, content) => {
      expect(processorMs(() => parseToolCalls({ content }))).toBeLessThan(HANGS_MS);
    });
  });
});

/** What one pass through an answer finds: calls in each way of writing them, made up results, and what it does not take. */
const parse = (content: string) => parseToolCalls({ content }, { tools });
const args = '{"file_path": "a.ts"}';

/** A call of `read_file`, as models write it. */
const ways: [what: string, call: string, family: string][] = [
  ['a tag', `<tool_call>${readJson}</tool_call>`, 'hermes'],
  ['an element', '<read_file><file_path>a.ts</file_path></read_file>', 'named-element'],
  ['a list in Python', '[read_file(file_path="a.ts")]', 'pythonic'],
  ['a name on the line before', `>>>read_file\n${args}`, 'functionary'],
  ['an action and its input', `Action: read_file\nAction Input: ${args}`, 'react'],
];

describe('a call', () => {
  test.each(ways)('as %s', (_what, call, family) => {
    expect(parse(call)).toEqual({
      type: 'tool_calls',
      layer: 'tagged',
      family,
      calls: [{ name: 'read_file', arguments: { file_path: 'a.ts' } }],
    });
  });

  test.each(ways)('as %s comes twice', (_what, call) =>
    expect(parse(`${call}\n\n${call}\n`)).toMatchObject({
      calls: [{ name: 'read_file' }, { name: 'read_file' }],
    }),
  );

  test.each(ways.slice(4))('as %s of a tool that is not known is none', (_what, call) =>
    expect(parse(call.replace('read_file', 'read_book')).type).not.toBe('tool_calls'),
  );
  test.each(ways.slice(4))('as %s behind another word is none', (_what, call) =>
    expect(parse(`Not ${call}`).type).not.toBe('tool_calls'),
  );
});

test('a name on the line before counts only alone, and where it is exact', () => {
  expect(parse(`glob\n{"pattern": "*"}`).type).toBe('final_answer');
  expect(parse(`the shell\n{"command": "ls"}`).type).toBe('final_answer');
  expect(parse(`shell\n\n\n{"command": "ls"}`).type).toBe('tool_calls');
});

test('a link is no call', () =>
  expect(parse('See [read_file(file_path="a.ts")](https://example.org).').type).toBe('final_answer'));

describe('results that the model made up', () => {
  test('are not said', () => {
    const content = 'It is so. <tool_response>{"ok": 1}</tool_response> And so.';
    expect(parse(content)).toEqual({ type: 'final_answer', content: 'It is so.  And so.' });
  });
  test('that do not end are not said either', () =>
    expect(parse('It is so. <tool_response>{"ok": 1}')).toEqual({
      type: 'final_answer',
      content: 'It is so.',
    }));
  test('hold no calls', () =>
    expect(parse(`It is so. <tool_response>${readJson}</tool_response>`).type).toBe('final_answer'));
});
