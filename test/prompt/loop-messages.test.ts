import { describe, expect, test } from '@jest/globals';
import {
  answerMessage,
  CHECKED_PREFIX,
  isProgramMessage,
  isToolResult,
  malformedCorrection,
  nudgeMessage,
  planMessage,
  repetitionWarning,
  resultMessages,
  stallWarning,
  steerMessage,
} from '../../sidecar/prompt/loop-messages.ts';

const results = [
  { toolName: 'read_file', output: '1 | a\n2 | b', isError: false, callId: 'c1' },
  { toolName: 'shell', output: 'Error: no such command', isError: true },
];
describe('results', () => {
  test('are a tool message each in native mode, with the id that the call had', () => {
    expect(resultMessages(results, 'native')).toEqual([
      { role: 'tool', content: '1 | a\n2 | b', tool_name: 'read_file', tool_call_id: 'c1' },
      { role: 'tool', content: 'Error: no such command', tool_name: 'shell' },
    ]);
  });

  test.each(['structured', 'text'] as const)('are one numbered user message in %s mode', (mode) => {
    expect(resultMessages(results, mode)).toEqual([
      {
        role: 'user',
        content: 'Tool results:\n[1] read_file ✓ 1 | a\n2 | b\n[2] shell ❌ Error: no such command',
      },
    ]);
  });

  test('are no message when there are none', () => {
    expect(resultMessages([], 'structured')).toEqual([]);
  });
});

describe('an answer is replayed', () => {
  const calls = [{ name: 'glob', arguments: { pattern: '*' } }];
  test('with its calls and thinking in native mode', () => {
    expect(answerMessage({ mode: 'native', content: '', thinking: 'hm', calls })).toEqual({
      role: 'assistant',
      content: '',
      thinking: 'hm',
      tool_calls: [{ function: { name: 'glob', arguments: { pattern: '*' } } }],
    });
  });
  test('word for word in structured mode', () => {
    expect(answerMessage({ mode: 'structured', content: '{"tool_calls":[]}', calls })).toEqual({
      role: 'assistant',
      content: '{"tool_calls":[]}',
    });
  });
});

describe('messages of the program', () => {
  test('the nudge has the exact words', () => {
    expect(nudgeMessage().content).toBe(
      'Please use the available tools to complete the task. Do not just describe what to do -- actually call the tools.',
    );
  });

  test('a correction in structured mode shows the wrong and the right shape', () => {
    const content = '{"tool_calls":[],"response":"x"}';
    const message = malformedCorrection({ reason: 'both at once', mode: 'structured', content });
    expect(message.content).toMatch(/^Your answer could not be used: both at once/);
    expect(message.content).toContain(`Wrong: ${content}`);
    expect(message.content).toContain('Right, to use tools: {"tool_calls": [');
    expect(malformedCorrection({ reason: 'x', mode: 'native' }).content).not.toContain('tool_calls');
  });

  test('are told from what a person says', () => {
    const written = [
      nudgeMessage(),
      planMessage('p'),
      repetitionWarning(['read_file', 'read_file']),
      stallWarning({ rounds: 5, roundsLeft: 3 }),
      malformedCorrection({ reason: 'x', mode: 'text' }),
      { role: 'user' as const, content: `${CHECKED_PREFIX} 1 of 2 checks pass.` },
      ...resultMessages(results, 'text'),
    ];
    expect(written.map(isProgramMessage)).toEqual(written.map(() => true));
    expect(isProgramMessage(steerMessage('use tabs'))).toBe(false);
    expect(isProgramMessage({ role: 'user', content: 'Please use tabs.' })).toBe(false);
    expect(resultMessages(results, 'native').every(isToolResult)).toBe(true);
  });
});
