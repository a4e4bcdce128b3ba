import { describe, expect, test } from '@jest/globals';
import * as fc from '../../support/properties.ts';
import { compactConversation } from '../../../sidecar/solving/prompt/compaction.ts';
import { createTokenEstimator } from '../../../sidecar/model/token-estimate.ts';
import {
  EARLIER_PREFIX,
  buildPlanMessage,
  buildResultMessages,
  buildSteerMessage,
} from '../../../sidecar/solving/prompt/loop-messages.ts';
import type { ToolMode } from '../../../sidecar/solving/prompt/system-prompt.ts';
import type { ChatMessage } from '../../../sidecar/model/chat.ts';
import { scaled } from '../../support/scale.ts';

const CHARS_PER_TOKEN = 3;
const text = (tokens: number, letter = 'a') =>
  `${letter.repeat(19)}\n`.repeat(Math.ceil((tokens * 3) / 20)).trim();

/** Tools of about 3 200 bytes, as the standard tools take. */
const tools = [
  { type: 'function' as const, function: { name: 'all', description: text(1_050), parameters: {} } },
];
const opening = (): ChatMessage[] => [
  { role: 'system', content: text(400, 's') },
  { role: 'user', content: text(300, 't') },
];

function round(number: number, resultTokens: number[], mode: ToolMode = 'native'): ChatMessage[] {
  const calls = resultTokens.map((_, index) => ({
    function: { name: 'read_file', arguments: { file_path: `src/file-${number}-${index}.ts` } },
  }));
  const answer: ChatMessage =
    mode === 'native'
      ? { role: 'assistant', content: '', tool_calls: calls }
      : {
          role: 'assistant',
          content: JSON.stringify({
            tool_calls: calls.map(({ function: call }) => ({ name: call.name, parameters: call.arguments })),
          }),
        };
  const results = resultTokens.map((tokens) => ({
    toolName: 'read_file',
    output: text(tokens),
    isError: false,
  }));
  return [answer, ...buildResultMessages(results, mode)];
}

/** Runs rounds as the loop does; tells in which rounds the prefix broke and how large requests were. */
function runRounds(windowTokens: number, rounds: number[][], mode: ToolMode = 'native') {
  const estimator = createTokenEstimator({ charsPerToken: CHARS_PER_TOKEN });
  let messages = opening();
  let sent: ChatMessage[] = [];
  const breaks: number[] = [];
  const sizes: number[] = [];
  for (const [number, results] of rounds.entries()) {
    const outcome = compactConversation(messages, { windowTokens, estimator, tools });
    if (!outcome.ok) return { breaks, sizes, failed: outcome.failure, messages };
    messages = outcome.value.messages;
    sizes.push(outcome.value.estimatedTokens);
    const extended = sent.every((message, index) => messages[index] === message);
    if (!outcome.value.isCompacted) expect(extended).toBe(true);
    if (!extended) breaks.push(number);
    sent = [...messages];
    messages = [...messages, ...round(number, results, mode)];
  }
  return { breaks, sizes, failed: undefined, messages };
}

const inAnyTwenty = (breaks: readonly number[]) =>
  Math.max(
    0,
    ...breaks.map((from) => breaks.filter((number) => number >= from && number < from + 20).length),
  );

describe('compaction', () => {
  test('gives messages below the threshold back as they are', () => {
    const messages = [...opening(), ...round(1, [100])];
    const outcome = compactConversation(messages, { windowTokens: 8_192, estimator: createTokenEstimator() });
    expect(outcome).toMatchObject({ ok: true, value: { isCompacted: false } });
    expect(outcome.ok && outcome.value.messages).toEqual(messages);
  });

  test.each(['native', 'structured'] as const)(
    'breaks the prefix at most twice in 20 rounds at 8k (%s)',
    (mode) => {
      const { breaks, sizes, failed } = runRounds(
        8_192,
        Array.from({ length: 60 }, () => [100]),
        mode,
      );
      expect(failed).toBeUndefined();
      expect(breaks.length).toBeGreaterThan(0);
      expect(inAnyTwenty(breaks)).toBeLessThanOrEqual(2);
      expect(Math.max(...sizes)).toBeLessThan(8_192 * 0.75);
    },
  );

  test.each([100, 300])(
    'breaks the prefix at most once in 20 rounds at 32k (results of %i tokens)',
    (tokens) => {
      const { breaks, failed } = runRounds(
        32_768,
        Array.from({ length: 60 }, () => [tokens]),
      );
      expect(failed).toBeUndefined();
      expect(inAnyTwenty(breaks)).toBeLessThanOrEqual(1);
    },
  );

  test('waits for the likely size: rounds of 2 KB break the prefix once in seven at 8k, and none is over the threshold', () => {
    const serverTokens = (messages: readonly ChatMessage[]) =>
      Math.ceil(JSON.stringify([messages, tools]).length / 4);
    const estimator = createTokenEstimator();
    let messages = opening();
    let breaks = 0;
    for (let number = 0; number < 200; number++) {
      const outcome = compactConversation(messages, { windowTokens: 8_192, estimator, tools });
      messages = outcome.ok ? outcome.value.messages : [];
      if (outcome.ok && outcome.value.isCompacted) breaks += 1;
      expect(serverTokens(messages)).toBeLessThan(8_192 * 0.75);
      estimator.learn({ messages, tools }, serverTokens(messages));
      messages = [...messages, ...round(number, [680])];
    }
    expect(breaks).toBeLessThan(200 / 7);
  });

  test('comes down to about 40 % in one step', () => {
    const messages = [...opening(), ...Array.from({ length: 50 }, (_, index) => round(index, [100])).flat()];
    const estimator = createTokenEstimator();
    const outcome = compactConversation(messages, { windowTokens: 8_192, estimator, tools });
    expect(outcome.ok && outcome.value.isCompacted).toBe(true);
    expect(outcome.ok && outcome.value.estimatedTokens).toBeLessThanOrEqual(8_192 * 0.4);
    expect(outcome.ok && outcome.value.estimatedTokens).toBeGreaterThan(8_192 * 0.3);
  });

  test('keeps system prompt, task, plan and the last three rounds as they are', () => {
    const plan = buildPlanMessage('# Plan: now');
    const messages = [
      ...opening(),
      ...round(0, [100]),
      buildPlanMessage('# Plan: before'),
      ...round(1, [3_000]),
      plan,
      ...Array.from({ length: 20 }, (_, index) => round(index + 2, [150])).flat(),
    ];
    const outcome = compactConversation(messages, { windowTokens: 8_192, estimator: createTokenEstimator() });
    const kept = outcome.ok ? outcome.value.messages : [];
    expect(kept.slice(0, 2)).toEqual(messages.slice(0, 2));
    expect(kept).toContain(plan);
    expect(kept.map(({ content }) => content).join('\n')).not.toContain('# Plan: before');
    expect(kept.slice(-6)).toEqual(messages.slice(-6));
  });

  test('fits what stays into a fifth of the window, the newest results shortened last', () => {
    const windowTokens = 32_768;
    const messages = [
      ...opening(),
      ...[7_000, 8_000, 8_000, 3_000].flatMap((size, index) => round(index, [size])),
    ];
    const outcome = compactConversation(messages, { windowTokens, estimator: createTokenEstimator() });
    const kept = outcome.ok ? outcome.value.messages : [];
    const stays = [...kept.slice(0, 2), ...kept.slice(-6)];
    expect(createTokenEstimator().estimateRequest({ messages: stays })).toBeLessThanOrEqual(
      windowTokens * 0.2,
    );
    expect(kept.at(-1)).toEqual(messages.at(-1));
    expect(kept.at(-3)?.content).toContain('characters left out');
  });

  test('keeps what a person said when it folds the rounds around it', () => {
    const steer = buildSteerMessage('Use tabs.');
    const rounds = Array.from({ length: 60 }, (_, index) => round(index, [40]));
    const messages = [...opening(), ...rounds.slice(0, 2).flat(), steer, ...rounds.slice(2).flat()];
    const outcome = compactConversation(messages, { windowTokens: 4_096, estimator: createTokenEstimator() });
    const kept = outcome.ok ? outcome.value.messages : [];
    expect(kept.some(({ content }) => content.startsWith(EARLIER_PREFIX))).toBe(true);
    expect(kept).toContain(steer);
  });

  test('shortens a result to one line that still says what it was', () => {
    const result = `FAIL test/cart.test.js\n${'detail\n'.repeat(400)}exit code 1`;
    const messages = [
      ...opening(),
      {
        role: 'assistant' as const,
        content: '',
        tool_calls: [{ function: { name: 'shell', arguments: {} } }],
      },
      ...buildResultMessages([{ toolName: 'shell', output: result, isError: true }], 'native'),
      ...Array.from({ length: 20 }, (_, index) => round(index, [250])).flat(),
    ];
    const outcome = compactConversation(messages, { windowTokens: 8_192, estimator: createTokenEstimator() });
    expect(outcome.ok && outcome.value.messages[3]?.content).toBe(
      'FAIL test/cart.test.js … exit code 1 [old result of 402 lines, shortened]',
    );
  });

  test('says context_exhausted when even the shortened conversation does not fit', () => {
    const messages = [...opening(), { role: 'user' as const, content: text(9_000) }];
    expect(
      compactConversation(messages, { windowTokens: 8_192, estimator: createTokenEstimator() }),
    ).toMatchObject({
      ok: false,
      failure: { code: 'context_exhausted' },
    });
  });

  test('keeps the step of a planned stage, wherever it stands', () => {
    const step: ChatMessage = { role: 'user', content: 'Step 2: write the tests.' };
    const plan = buildPlanMessage('# Plan: x');
    const messages = [
      opening()[0]!,
      plan,
      { role: 'user' as const, content: 'Step 1' },
      ...round(0, [300]),
      { role: 'assistant' as const, content: 'Done.' },
      step,
      ...Array.from({ length: 40 }, (_, index) => round(index + 1, [200])).flat(),
    ];
    const outcome = compactConversation(messages, {
      windowTokens: 8_192,
      tools,
      estimator: createTokenEstimator(),
    });
    const kept = outcome.ok ? outcome.value.messages : [];
    expect(kept).toContain(step);
    expect(kept).toContain(plan);
    expect(outcome.ok && outcome.value.estimatedTokens).toBeLessThanOrEqual(8_192 * 0.4);
  });

  test('never overruns the window even by the count of a server whose tokens are shorter', () => {
    // The truth that the estimator has to learn: results are dense, all else is not.
    const trueTokens = (messages: readonly ChatMessage[]) =>
      messages.reduce((sum, { role, content, tool_calls }) => {
        const size = content.length + JSON.stringify(tool_calls ?? []).length;
        return sum + size / (role === 'tool' ? 2.2 : 4.2) + 4;
      }, 1_000);
    const estimator = createTokenEstimator();
    let messages = opening();
    let largest = 0;
    for (let number = 0; number < 120; number++) {
      const outcome = compactConversation(messages, { windowTokens: 8_192, estimator, tools });
      expect(outcome.ok).toBe(true);
      messages = outcome.ok ? outcome.value.messages : [];
      const tokens = Math.round(trueTokens(messages));
      largest = Math.max(largest, tokens);
      estimator.learn({ messages, tools }, tokens);
      messages = [...messages, ...round(number, [[50, 400, 1_500, 100, 2_000][number % 5]!])];
    }
    expect(largest).toBeLessThan(8_192);
    expect(largest).toBeGreaterThan(8_192 * 0.6);
  });

  test('never overruns and never cuts a call from its result, whatever the results', () => {
    const anyRounds = fc.array(fc.array(fc.integer({ min: 1, max: 2_048 }), { minLength: 1, maxLength: 6 }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(anyRounds, fc.constantFrom<ToolMode>('native', 'structured'), (rounds, mode) => {
        const { sizes, failed, messages } = runRounds(8_192, rounds, mode);
        expect(failed).toBeUndefined();
        for (const size of sizes) expect(size).toBeLessThan(8_192 * 0.75);
        expectWholeRounds(messages);
      }),
      { numRuns: scaled({ quick: 25, full: 300 }) },
    );
  });
});

/** Each answer is followed by as many results as it has calls, and no result stands without a call. */
function expectWholeRounds(messages: readonly ChatMessage[]): void {
  let open = 0;
  for (const message of messages) {
    if (message.role === 'assistant') {
      expect(open).toBe(0);
      open = message.tool_calls?.length ?? 1;
    } else if (message.role === 'tool' || message.content.startsWith('Tool results:')) {
      expect(open).toBeGreaterThan(0);
      open -= 1;
    }
  }
  expect(open).toBe(0);
}
