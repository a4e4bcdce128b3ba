/** What stands around a call says whether it is made or only shown. `CALL` stands for a bare one, `TAGGED` for one in marks. */
import { describe, expect, test } from '@jest/globals';
import { names, readJson } from './reading.ts';

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
