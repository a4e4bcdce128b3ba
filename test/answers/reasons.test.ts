/** What a model is told of a call that could not be read: the tool that was not run, and what to write otherwise. */
import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { oneCall, tools } from './reading.ts';

const reasonOf = (content: string) => {
  const answer = parseToolCalls({ content }, { tools });
  return answer.type === 'malformed' ? answer.reason : answer.type;
};
const unclear = 'a text in it holds quotes that are not escaped, or a comma is missing';

describe('JSON that is not clear, with words behind it, before its mark', () => {
  test.each([
    ['{"name": "shell", "arguments": {"command": "echo "hi" there"}} Now I wait.', unclear],
    ['{"name": "shell", "arguments": {"command": "ls" "timeout_ms": 3}} and then: I "wait".', unclear],
    ['{"name": "shell", "arguments": {"command": ls -la}} and then I wait.', 'the value ls has no quotes'],
    [
      '{"name": "shell", "arguments": {"command" "ls"}} and then I wait.',
      'a colon is missing after "command"',
    ],
  ])('%s', (call, what) => {
    const reason = `the call of shell was not run: ${what}. Send the whole call again as valid JSON: inside a text write \\" for each quote and \\n for each line break`;
    for (const content of [`<tool_call>${call}</tool_call>`, call])
      expect(reason).toContain(reasonOf(content));
  });

  test('leaves the calls behind it undone too', () => {
    const unclearCall = '{"name": "shell", "arguments": {"command": "echo "hi" there"}}';
    const clearCall = '{"name": "shell", "arguments": {"command": "echo hi there"}}';
    expect(reasonOf(`${unclearCall}\n\nThen ${clearCall}.`)).toContain(unclear);
  });
});

describe("Gemma's notation", () => {
  const gemma = (body: string) => reasonOf(`<|tool_call>call:shell{${body}}<tool_call|>`);
  const text = (value: string) => `<|"|>${value}<|"|>`;

  test.each([
    ['no comma between members', `command:${text('ls')} timeout_ms:3`],
    ['no comma between items', `command:[${text('a')} ${text('b')}]`],
    ['a text without its end', 'command:<|"|>ls'],
    ['a bare text with a bracket', 'command:ls [ab],timeout_ms:3'],
    ['a bare text of more than 1000 characters', `command:${'x'.repeat(1001)}`],
    ['a key of more than 300 characters', `${'k'.repeat(301)}:${text('ls')}`],
    ['no key', text('ls')],
    ['lists in lists, 110 deep', `command:${'['.repeat(110)}${']'.repeat(110)}`],
    ['objects in objects, 110 deep', `command:${'{a:'.repeat(110)}1${'}'.repeat(110)}`],
  ])('is not guessed with %s', (_what, body) =>
    expect(gemma(body)).toBe('the call of shell was not run: its arguments are cut off or unreadable'),
  );

  test.each([
    [
      'plain quotes around a text',
      'command:"echo \\"a\\", {b}",timeout_ms:3',
      { command: 'echo "a", {b}', timeout_ms: 3 },
    ],
    [
      'spaces around bare values',
      'command:echo "a" b ,timeout_ms: 3 ',
      { command: 'echo "a" b', timeout_ms: 3 },
    ],
    ['quotes around a key', `"command":${text('ls')}`, { command: 'ls' }],
    ['a quote inside of a key', `a"b:${text('ls')}`, { 'a"b': 'ls' }],
    ['a bare text of 999 characters', `command:${'x'.repeat(999)}`, { command: 'x'.repeat(999) }],
    ['a key of 300 characters', `${'k'.repeat(300)}:1`, { ['k'.repeat(300)]: 1 }],
  ])('is read with %s', (_what, body, expected) => {
    const content = `<|tool_call>call:shell{${body}}<tool_call|>`;
    expect(oneCall({ content })).toEqual({ name: 'shell', arguments: expected });
  });
});
