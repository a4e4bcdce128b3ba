import { describe, expect, test } from '@jest/globals';
import { dialects as formats } from '../../../sidecar/parsing/answers/dialects.ts';
import { parseToolCalls } from '../../../sidecar/parsing/answers/parse-answer.ts';
import { globJson, names, readJson, tools } from './reading.ts';

/** What an answer is: calls, a question, a final answer or none of them. */
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

/** The marks that end a block: each is known, ends a call whose brackets were forgotten, and may come again. */
const call = '{"name": "shell", "arguments": {"command": "ls"}}';
const args = '{"command": "ls"}';
const dsml =
  '<｜DSML｜invoke name="shell"><｜DSML｜parameter name="command">ls</｜DSML｜parameter></｜DSML｜invoke>';
const functionXml = 'shell><parameter=command>ls</parameter></function>';
const deepseekEnds = [
  '<｜tool▁call▁end｜>',
  '<｜tool▁calls▁end｜>',
  '<|tool▁call▁end|>',
  '<|tool▁calls▁end|>',
];
/** An opening mark, what stands behind it, and the marks that may close it. */
const blocks: [open: string, body: string, ...marks: string[]][] = [
  ['<tool_call>', call, '</tool_call>'],
  ['<tool_calls>', call, '</tool_calls>'],
  ['<function=', functionXml, '</tool_call>'],
  ['<function name=', functionXml, '</tool_call>'],
  ['<seed:tool_call>', call, '</seed:tool_call>'],
  ['<|python_tag|>', call, '<|eom_id|>', '<|eot_id|>'],
  ['<|python_start|>', call, '<|python_end|>'],
  ['<|tool_call_start|>', call, '<|tool_call_end|>'],
  ['<function_calls>', call, '</function_calls>'],
  ['<｜tool▁call▁begin｜>', `function<｜tool▁sep｜>shell\n${args}`, ...deepseekEnds],
  ['<|tool▁call▁begin|>', `function<|tool▁sep|>shell\n${args}`, ...deepseekEnds],
  ['<｜DSML｜function_calls>', dsml, '</｜DSML｜function_calls>'],
  ['<｜DSML｜tool_calls>', dsml, '</｜DSML｜tool_calls>'],
  [
    '<｜DSML｜invoke',
    dsml.replace('<｜DSML｜invoke', ''),
    '</｜DSML｜function_calls>',
    '</｜DSML｜tool_calls>',
  ],
  [
    '<|tool_call_begin|>',
    `shell<|tool_call_argument_begin|>${args}`,
    '<|tool_call_end|>',
    '<|tool_calls_section_end|>',
  ],
  ['<minimax:tool_call>', call, '</minimax:tool_call>'],
  [
    '<invoke name=',
    'shell">\n<parameter name="command">ls</parameter></invoke>',
    '</minimax:tool_call>',
    '</function_calls>',
  ],
  ['<|tool_call>', 'call:shell{command:<|"|>ls<|"|>}', '<tool_call|>'],
  ['<start_function_call>', 'call:shell{command:<escape>ls<escape>}', '<end_function_call>'],
  ['<|tool_call|>', call, '<|end_of_text|>'],
  ['<function_call>', call, '</function_call>', '<|endoftext|>'],
  ['<TOOLCALL>', call, '</TOOLCALL>'],
  ['<|START_ACTION|>', call, '<|END_ACTION|>'],
  ['<|tools_prefix|>', call, '<|tools_suffix|>'],
  ['<|action_start|><|plugin|>', call, '<|action_end|>'],
  ['<longcat_tool_call>', call, '</longcat_tool_call>'],
  ['function call<|role_sep|>', call, '<|message_sep|>', '</s>'],
  ['<|function_call|>', call, '<|message_sep|>', '</s>'],
  ['<tool_use>', call, '</tool_use>'],
  ['<|channel|>', `commentary to=shell<|message|>${args}`, '<|call|>', '<|end|>'],
  ['<tools>', call, '</tools>'],
];
const ends = blocks.flatMap(([open, body, ...marks]) =>
  marks.map((mark) => ({ open, body, mark, first: marks[0] ?? '' })),
);

describe('a closing mark', () => {
  // The others: brackets around other blocks, one with marks inside its body, one that is closed by its own bracket.
  test('is listed here for each format that reads a body', () => {
    const elsewhere = [
      ']<]minimax[>[<tool_call>',
      'functools[',
      '[TOOL_CALLS]',
      '>>>',
      '```tool_code',
      '```function_call',
      '```tool_call',
    ];
    const opens = formats.filter(({ bodyReaders }) => bodyReaders.length > 0).map(({ openMark }) => openMark);
    expect(blocks.map(([open]) => open)).toEqual(opens.filter((open) => !elsewhere.includes(open)));
  });

  test.each(ends)('$open … $mark ends the call, and words may follow', ({ open, body, mark }) => {
    expect(names(`${open}${body}${mark}\nNow I wait.`)).toEqual(['shell']);
  });

  test.each(ends.filter(({ body }) => body.endsWith('}') && !body.startsWith('call:')))(
    '$open … $mark ends JSON whose brackets were forgotten',
    ({ open, body, mark }) => {
      expect(names(`${open}${body.replace(/\}+$/, '')}${mark}\nNow I wait.`)).toEqual(['shell']);
    },
  );

  test.each(ends)('$open … $mark that comes again takes nothing back', ({ open, body, mark, first }) => {
    expect(names(`${open}${body}${first}\nNow I wait.\n${mark}`)).toEqual(['shell']);
  });
});

/** What stands around a call says whether it is made or only shown. `CALL` stands for a bare one, `TAGGED` for one in marks. */
const made = [
  '1. CALL',
  'First CALL\nThen CALL',
  'Now CALL',
  '[CALL]',
  'The log is long. I read it: CALL',
  'I called it. Now I need to call CALL',
  'I will use what was sent: CALL',
  '<answer>CALL</answer>',
  'CALL\nPlease',
  'CALL\nThen I will fix it.',
  'CALL<|im_end|>',
  'CALL</s></s>',
  '```text\nCALL\n```',
  '```ts\nCALL\n```',
  '```ts\nx\n```\nCALL',
  '`a` and `b` CALL',
  'CALL<think>so</think>CALL',
  '\n\n\n   CALL\n\n\n',
  '[ CALL ]',
  'I will call CALL',
  'Let me call CALL',
  'Let’s look: CALL',
  'I will look: TAGGED',
  'TAGGED That was it.',
  '```\nTAGGED\n```',
  '```xml\nTAGGED\n```',
  '1. TAGGED\n2. TAGGED',
  '>>> TAGGED',
  'TAGGED<tool_response>x</tool_response>TAGGED',
  '<tool_calls>\nTAGGED\n</tool_calls>',
  '<tool_calls></tool_calls>TAGGED',
  '<|im_start|>assistant\nOk.TAGGED<|im_end|>',
  'CALL\n```json\nCALL\n```',
  '```json\nCALL\n```\n```json\nCALL\n```',
  '\n\n  ```ts\nCALL\n```',
  'I think… then CALL',
  'I called it.\nNow:\nCALL',
  'I called it and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on : CALL',
  'the log and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on : CALL',
  'Look:\n```json\nCALL',
  'CALL\nI will x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x ',
  'CALL; CALL, CALL',
  'I look:\n\n\nCALL',
  '# Call\nCALL',
  '.. CALL',
  'CALL',
  ' CALL ',
  'Now: CALL',
  'CALL\n\nI will wait.',
  'CALL\nThen I xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  '```json\nCALL\n```',
  '```JSON\nCALL\n```\nThen I will wait',
  '[CALL\nThen, I will wait.',
  '```python\nCALL\n```',
  '```python\nx = 1\n```\nCALL',
  '~~~python\nx = 1\n~~~\nCALL',
  '`a` CALL',
  '```ts``` CALL',
  'It is so...\n\nI look. CALL',
  '>>> CALL',
  'let me CALL',
  'let’s CALL',
  'For example. Now CALL',
  '1. Now: CALL',
  'I will take it from the log: CALL',
  'It called:\n\nIt is so.\nCALL',
  'So <!-- a --> CALL',
  '<code>CALL',
  '<code>a</code> CALL',
  'CALL</s>',
  'CALL. Done.',
];

/** The answer opens with a call and then explains it. */
const opening = [
  'CALL and CALL',
  'CALL\n\nNext, \nCALL',
  'CALL\nIt is:\n```ts\nCALL\n```',
  'CALL\n\nThe file shows it.\nCALL',
];

const shown = [
  'for example and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on and so on : CALL',
  'For example:\n\nCALL',
  'It is:\n```ts\nCALL\n```',
  'It is:\n```ts\nCALL',
  '```ts\nx\n~~~\nCALL',
  '```ts\nconst x = 1\nCALL\n```',
  'So:\n```python\nCALL\n```',
  '```python\nx = 1\nCALL\n```',
  '```python xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nCALL\n```',
  'So:\n~~~python\nCALL\n~~~',
  'For example: CALL',
  'For example:\n```json\nCALL\n```',
  '`a` and `CALL`',
];

const written = (text: string) =>
  text.replaceAll('TAGGED', '<tool_call>CALL</tool_call>').replaceAll('CALL', readJson);

describe('a call', () => {
  test.each(made)('is made: %j', (text) => {
    const calls = text.match(/CALL|TAGGED/g) ?? [];
    expect(names(written(text))).toEqual(calls.map(() => 'read_file'));
  });
  test.each(opening)('is the first one: %j', (text) => expect(names(written(text))).toEqual(['read_file']));
  test.each(shown)('is shown: %j', (text) => expect(names(written(text))).toBe('final_answer'));
});
