/** What an answer is: calls, a question, a final answer or none of them. */
import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { globJson, names, readJson, tools } from './reading.ts';

describe('messages of any form', () => {
  test.each<[string, Parameters<typeof parseToolCalls>[0]]>([
    ['null', null],
    ['undefined', undefined],
    ['an empty text', ''],
    ['white space', ' \n\t '],
    ['no fields', {}],
    ['null content', { content: null }],
    ['only thinking', { content: '', thinking: `I could call ${readJson}, or not.` }],
    ['a number as content', { content: 5 as unknown as string }],
    ['a list as content', { content: [] as unknown as string }],
    ['calls that are no list', { content: '', tool_calls: 'x' }],
  ])('%s is empty', (_title, message) =>
    expect(parseToolCalls(message)).toEqual({ type: 'empty', content: '' }),
  );
  test('a plain text is a final answer', () =>
    expect(parseToolCalls(' All done. ')).toEqual({ type: 'final_answer', content: 'All done.' }));
});

describe('the order of the calls', () => {
  test('all calls count in the order of the text, with marks and without', () => {
    const answer = parseToolCalls({ content: `<tool_call>${readJson}</tool_call>\n${globJson}` });
    expect(answer).toMatchObject({ layer: 'tagged', calls: [{ name: 'read_file' }, { name: 'glob' }] });
  });
  test('a call at the end of the thinking counts where the answer says nothing', () =>
    expect(
      parseToolCalls({ content: '', thinking: `I look.\n<tool_call>${readJson}</tool_call>\n` }),
    ).toMatchObject({
      type: 'tool_calls',
      calls: [{ name: 'read_file' }],
    }));
  test('JSON inside a tagged block is an argument', () =>
    expect(
      names(
        `<function=write_file><parameter=file_path>a</parameter><parameter=content>${readJson}</parameter></function>`,
      ),
    ).toEqual(['write_file']));
  test('a tag inside a JSON string is text', () => {
    const call = JSON.stringify({
      name: 'write_file',
      arguments: { file_path: 'a', content: `<tool_call>${readJson}</tool_call>` },
    });
    expect(parseToolCalls({ content: call })).toMatchObject({
      layer: 'json',
      calls: [{ name: 'write_file', arguments: { content: `<tool_call>${readJson}</tool_call>` } }],
    });
  });
  test('a tagged block that cannot be read leaves its text to layer 2', () =>
    expect(names(`<tool_call>\nI want: ${readJson}`)).toEqual(['read_file']));
});

describe('answers in JSON', () => {
  test.each([
    ['alone', '{"response": "All done."}'],
    ['in a code fence', '```json\n{"response": "All done."}\n```'],
    ['after prose', 'My answer: {"response": "All done."}'],
    ['nearly right', "{'response': 'All done.',}"],
    ['beside null calls', '{"tool_calls": null, "response": "All done."}'],
    ['beside an empty list of calls', '{"tool_calls": [], "response": "All done."}'],
  ])('response: %s', (_title, content) =>
    expect(parseToolCalls({ content }, { mode: 'text' })).toEqual({
      type: 'final_answer',
      content: 'All done.',
    }),
  );
  test('an example inside prose leaves the prose whole', () => {
    const content = 'The server sends {"response": "ok"} for each request.';
    expect(parseToolCalls({ content })).toEqual({ type: 'final_answer', content });
  });
  test('an empty response is empty', () => expect(names('{"response": " "}')).toBe('empty'));
  test('an empty list of calls is empty', () => expect(names('{"tool_calls": []}')).toBe('empty'));
  test('calls and a response at once are malformed', () => {
    const content = `{"tool_calls": [${readJson}], "response": "done"}`;
    expect(parseToolCalls({ content })).toMatchObject({ type: 'malformed', content });
    expect(names(`Ok: ${content}`)).toBe('malformed');
  });
  test('a request for approval', () =>
    expect(parseToolCalls({ content: '{"request_approval": "May I?"}' })).toEqual({
      type: 'approval',
      question: 'May I?',
    }));
  test('a response that is not text becomes text', () =>
    expect(parseToolCalls({ content: '{"response": {"sum": 3}}' })).toEqual({
      type: 'final_answer',
      content: '{"sum":3}',
    }));
});

describe('prose is a final answer', () => {
  test.each([
    'I changed `a[0]` to {b} and it works.',
    'Use `<tool_call>` tags around calls.',
    'Write `<tool_call>…</tool_call>` around calls.',
    'Write `<|channel|>final<|message|>` before the answer.',
    'Call shell(1) or see [man](x).',
    'print("x") is all that f(x) does.',
    'In C: if (a < b) { return arr[i]; }',
    '```ts\nconst x = { name: "shell", run() {} };\n```',
    '{"a": 1, "b": [1, 2]}',
    'function f() { name: "x" }',
    'The list [1, 2, 3] and the set {1, 2}.',
    '<div class="a">{{ name }}</div>',
    'See [the docs](https://example.org/a?b={c}).',
  ])('%s', (content) =>
    expect(parseToolCalls({ content }, { tools })).toEqual({ type: 'final_answer', content }),
  );
});

describe('ends of a round', () => {
  test('results that the model made up are not read', () =>
    expect(names(`<tool_call>${readJson}</tool_call>\n<tool_response>${globJson}</tool_response>`)).toEqual([
      'read_file',
    ]));
  test.each<[string, string]>([
    ['tagged', `<tool_call>${readJson}</tool_call>\n`],
    ['bare', `${readJson}\n`],
    ['named lines', 'read_file\n{"file_path": "a.ts"}\n'],
    ['Python', 'read_file(file_path="a.ts")\n'],
  ])('of more than 100 calls only so many are taken: %s', (_form, one) => {
    const answer = parseToolCalls({ content: one.repeat(2500) });
    expect(answer).toMatchObject({ type: 'tool_calls', hasMore: true });
    expect(answer.type === 'tool_calls' && answer.calls.length).toBe(100);
    expect(parseToolCalls({ content: one.repeat(90) })).not.toHaveProperty('hasMore');
  });
  test.each<[string, object, object]>([
    [
      'natively',
      { content: '', tool_calls: Array.from({ length: 2500 }, () => JSON.parse(readJson) as object) },
      {},
    ],
    ['in a list of Python', { content: `[${'read_file(file_path="a.ts"), '.repeat(2500)}]` }, {}],
    ['in a list', { content: `<tool_call>[${`${readJson},`.repeat(2500)}]</tool_call>` }, {}],
    [
      'in one object',
      { content: `{"tool_calls": [${`${readJson},`.repeat(2499)}${readJson}]}` },
      { mode: 'structured' },
    ],
  ])('of more than 100 calls only so many are taken: %s', (_form, message, options) => {
    const answer = parseToolCalls(message, options);
    expect(answer).toMatchObject({ type: 'tool_calls', hasMore: true });
    expect(answer.type === 'tool_calls' && answer.calls.length).toBe(100);
  });
  test('tools listed by the model are no call', () =>
    expect(
      names('Have <tools>[{"name":"read_file","parameters":{"type":"object","properties":{}}}]</tools> ok'),
    ).toBe('final_answer'));
  test('an empty block of calls is empty', () => expect(names('<tool_calls></tool_calls>')).toBe('empty'));
  test.each([
    'Done.<|im_end|>',
    '<|START_RESPONSE|> Done. <|END_RESPONSE|> </s> <|im_end|>',
    '<|im_start|>assistant\n</tool_calls>Done.',
    '<|start|>assistant<|channel|>final<|message|>Done.<|return|>',
    '<|channel|>final<|message|>Done.<|end|>',
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Done.<|end|>',
    '<|channel|>commentary<|message|>Done.<|end|>',
  ])('marks of chat templates are no part of an answer: %s', (content) =>
    expect(parseToolCalls({ content })).toEqual({ type: 'final_answer', content: 'Done.' }),
  );
  test('words on a channel before a call are what was said before it', () => {
    const said = '<|channel|>commentary<|message|>I look.<|end|><|start|>assistant';
    const call = '<|channel|>commentary to=functions.glob<|message|>{"pattern": "*"}<|call|>';
    expect(parseToolCalls({ content: said + call })).toMatchObject({
      calls: [{ name: 'glob' }],
      content: 'I look.',
    });
  });
});
