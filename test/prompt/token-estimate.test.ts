import { describe, expect, test } from '@jest/globals';
import { createTokenEstimator } from '../../sidecar/prompt/token-estimate.ts';
import type { ChatMessage } from '../../sidecar/model/chat.ts';

const messages: ChatMessage[] = [{ role: 'user', content: 'a'.repeat(3_984) }];

describe('the token estimate', () => {
  test('starts on the careful side', () => {
    expect(createTokenEstimator().request({ messages })).toBe(1_334);
  });

  test('learns from what the server counted', () => {
    const estimator = createTokenEstimator();
    estimator.learn({ messages }, 1_000);
    expect(estimator.charsPerToken).toBe(4);
    expect(estimator.request({ messages })).toBe(1_000);
  });

  test('takes what was not counted yet with care', () => {
    const estimator = createTokenEstimator();
    estimator.learn({ messages }, 1_000);
    const fresh: ChatMessage = { role: 'tool', content: 'b'.repeat(3_984) };
    expect(estimator.request({ messages: [...messages, fresh] })).toBe(1_000 + 1_334);
    estimator.learn({ messages: [...messages, fresh] }, 2_000);
    expect(estimator.request({ messages: [...messages, fresh] })).toBe(2_000);
  });

  test.each([0, 1, 100, 100_000, Number.NaN])('does not believe a count of %d', (count) => {
    const estimator = createTokenEstimator();
    estimator.learn({ messages }, count);
    expect(estimator.charsPerToken).toBe(3);
  });

  test('counts calls, thinking and tools', () => {
    const estimator = createTokenEstimator();
    const tokensOf = (message: Partial<ChatMessage>) =>
      estimator.request({ messages: [{ role: 'assistant', content: '', ...message }] });
    const full = tokensOf({
      thinking: 'hm'.repeat(30),
      tool_calls: [{ function: { name: 'read_file', arguments: { file_path: 'a' } } }],
    });
    expect(full).toBeGreaterThan(tokensOf({}) + 30);
    const tools = [
      { type: 'function' as const, function: { name: 'x', description: 'y'.repeat(300), parameters: {} } },
    ];
    expect(estimator.request({ messages, tools })).toBeGreaterThan(estimator.request({ messages }) + 99);
  });

  test('takes digits and other scripts as dearer than letters', () => {
    const estimator = createTokenEstimator();
    expect(estimator.text('1'.repeat(90))).toBe(60);
    expect(estimator.text('語'.repeat(90))).toBe(90);
    expect(estimator.text('a'.repeat(90))).toBe(30);
  });
});
