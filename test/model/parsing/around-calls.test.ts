/** What stands around a call says whether it is made or only shown. `CALL` stands for a bare one, `TAGGED` for one in marks. */
import { describe, expect, test } from '@jest/globals';
import { names, readJson } from './reading.ts';

const made = [
  '1. CALL',
  'First CALL\nThen CALL',
  'CALL and CALL',
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
];

const shown = [
  '… CALL',
  '...\nCALL',
  '// CALL',
  '$ CALL',
  '| CALL',
  '[2026-01-01] CALL',
  'INFO CALL',
  'x = CALL',
  'const c CALL',
  'User: CALL',
  'f(CALL)',
  'I will read. The model sent: CALL',
  '2) I ran CALL',
  'For example:\n\nCALL',
  '<!-- CALL -->',
  '<p>CALL</p>',
  '<div class="a">\nCALL\n</div>',
  '<li>one: CALL</li>',
  'CALL\nThat is the call.',
  '~~~json\nCALL\n~~~',
  'It is:\n```ts\nCALL\n```',
  '```diff\nCALL\n```',
  'It is:\n```ts\nCALL',
  '````md\n```json\nCALL\n```\n````',
  'a ` b CALL',
  '"CALL"',
  'calls=[CALL]',
  'You should not send CALL',
  'Never: CALL',
  "Don't do this: CALL",
  'Instead of CALL use grep',
  'let call = CALL',
  'Result: CALL',
  'a => CALL',
  '- sent CALL',
  'The log says: TAGGED',
  '`TAGGED`',
  'x = TAGGED',
  'I sent TAGGED',
  'Example: TAGGED',
  'It is:\n```xml\nTAGGED\n```',
  '> TAGGED',
];

const written = (text: string) =>
  text.replaceAll('TAGGED', '<tool_call>CALL</tool_call>').replaceAll('CALL', readJson);

describe('a call', () => {
  test.each(made)('is made: %j', (text) => {
    const calls = text.match(/CALL|TAGGED/g) ?? [];
    expect(names(written(text))).toEqual(calls.map(() => 'read_file'));
  });
  test.each(shown)('is shown: %j', (text) => expect(names(written(text))).toBe('final_answer'));
});
