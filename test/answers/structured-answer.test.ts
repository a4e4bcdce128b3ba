/** Answers in structured mode, to which a grammar was given. */
import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { globJson, names, oneCall, readJson, tools } from './reading.ts';

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
