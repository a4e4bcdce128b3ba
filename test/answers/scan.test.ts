/** What one pass through an answer finds: calls in each way of writing them, made up results, and what it does not take. */
import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { readJson, tools } from './reading.ts';

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
