import { describe, expect, test } from '@jest/globals';
import {
  answerMessage,
  correctiveMessage,
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
import type { CheckResult } from '../../sidecar/protocol/result.ts';

const results = [
  { toolName: 'read_file', output: '1 | a\n2 | b', isError: false, callId: 'c1' },
  { toolName: 'shell', output: 'Error: no such command', isError: true },
];
const check = (fields: Partial<CheckResult>): CheckResult => ({
  type: 'command_succeeds',
  target: 'npm test',
  description: '',
  status: 'pass',
  output: '',
  duration_ms: 1,
  ...fields,
});

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

  test('corrections after failed checks say what failed and what must keep passing', () => {
    const { content } = correctiveMessage(
      {
        checks: [
          check({ status: 'fail', output: 'FAIL cart\nexpected 3' }),
          check({ type: 'file_exists', target: 'a.txt' }),
          check({ target: 'slow', status: 'skip' }),
        ],
      },
      { attempt: 1, maxAttempts: 2 },
    );
    expect(content).toBe(`The checks were run on your work and failed. Corrective round 1 of 2.

Failed:
- command_succeeds npm test (fail)
  output (data):
    FAIL cart
    expected 3

Passed, and must keep passing:
- file_exists a.txt

Find the cause, repair it in the workspace, run the check yourself, then answer.`);
  });

  test('long output of a check loses its middle', () => {
    const { content } = correctiveMessage({
      checks: [check({ status: 'fail', output: `a${'x'.repeat(1e5)}z` })],
    });
    expect(content.length).toBeLessThan(2_600);
  });

  test('are told from what a person says', () => {
    const written = [
      nudgeMessage(),
      planMessage('p'),
      repetitionWarning(['read_file', 'read_file']),
      stallWarning({ rounds: 3, roundsLeft: 2 }),
      malformedCorrection({ reason: 'x', mode: 'text' }),
      correctiveMessage({ checks: [] }),
      ...resultMessages(results, 'text'),
    ];
    expect(written.map(isProgramMessage)).toEqual(written.map(() => true));
    expect(isProgramMessage(steerMessage('use tabs'))).toBe(false);
    expect(isProgramMessage({ role: 'user', content: 'Please use tabs.' })).toBe(false);
    expect(resultMessages(results, 'native').every(isToolResult)).toBe(true);
  });
});
