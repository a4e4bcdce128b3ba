/** What the server is asked for each purpose, and what its answers tell of it. */
import { describe, expect, test } from '@jest/globals';
import type { ChatMessage } from '../../sidecar/model/chat.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { always, hello, MODEL, startSession, tools } from './session-fixture.ts';

describe('asking', () => {
  test('every purpose has its temperature, and all the same window', async () => {
    const { session, chats } = await startSession(always('x'));
    for (const purpose of ['agentic', 'planning', 'summary', 'simple'] as const) {
      await session.ask({ messages: hello, purpose });
    }
    expect(chats().slice(1)).toEqual(
      [0.2, 0.3, 0.1, 0.2].map((temperature) => ({
        model: MODEL,
        messages: hello,
        stream: true,
        think: false,
        keep_alive: '10m',
        truncate: false,
        options: { temperature, num_ctx: 32_768 },
      })),
    );
  });

  test("the catalogue's options win, a grammar stays cool, thinking follows the purpose", async () => {
    const models = [{ name: MODEL, capabilities: ['completion', 'thinking', 'tools'] }];
    const { session, chats } = await startSession(
      { ...always('x'), models },
      {
        models: {
          [MODEL]: { options: { temperature: 0.9, top_p: 0.5 }, think: { planning: true }, keepAlive: -1 },
        },
      },
    );
    await session.ask({ messages: hello, purpose: 'agentic', tools });
    await session.ask({ messages: hello, purpose: 'agentic', format: { type: 'object' } });
    await session.ask({ messages: hello, purpose: 'planning' });
    expect(chats().slice(1)).toMatchObject([
      { tools, think: false, keep_alive: -1, options: { temperature: 0.9, top_p: 0.5 } },
      { format: { type: 'object' }, options: { temperature: 0.2, top_p: 0.5 } },
      { think: true, options: { temperature: 0.9 } },
    ]);
  });

  test('one call may be drawn otherwise, in the same window', async () => {
    const { session, chats } = await startSession(always('x'));
    await session.ask({
      messages: hello,
      purpose: 'agentic',
      sampling: { temperature: 0.8, seed: 7, maxTokens: 900 },
    });
    await session.ask({ messages: hello, purpose: 'agentic', sampling: {} });
    expect(chats().slice(1)).toMatchObject([
      { options: { temperature: 0.8, seed: 7, num_predict: 900, num_ctx: 32_768 } },
      { options: { temperature: 0.2, num_ctx: 32_768 } },
    ]);
    expect(chats()[2]).not.toHaveProperty('options.seed');
  });

  test('a model that cannot think is never asked to', async () => {
    const { session, chats } = await startSession(always('x'), { models: { [MODEL]: { think: 'high' } } });
    await session.ask({ messages: hello, purpose: 'agentic' });
    expect(chats()[1]).toMatchObject({ think: false });
  });

  test('simple calls stream their text', async () => {
    const { session } = await startSession(always('one two'));
    const deltas: string[] = [];
    const outcome = await session.ask({
      messages: hello,
      purpose: 'simple',
      onDelta: ({ content }) => {
        deltas.push(content);
        throw new Error('a listener that throws');
      },
    });
    expect(deltas).toEqual(['one', ' two']);
    expect(outcome).toMatchObject({ ok: true, value: { message: { content: 'one two' } } });
  });

  test('a refusal of tools comes back at once, for the loop to change its mode', async () => {
    const refused = { kind: 'status' as const, status: 400, body: { error: 'm:1 does not support tools' } };
    const { session, chats } = await startSession(always('x', [refused]));
    expect(await session.ask({ messages: hello, tools, purpose: 'agentic' })).toMatchObject({
      ok: false,
      failure: { code: 'tools_unsupported' },
    });
    expect(chats()).toHaveLength(2);
  });

  test('a server that refuses even `think: false` is asked without it, from then on', async () => {
    const refused = {
      kind: 'status' as const,
      status: 400,
      body: { error: '"m:1" does not support thinking' },
    };
    const { session, chats } = await startSession(always('x', [refused]));
    for (let call = 0; call < 2; call += 1) {
      expect(await session.ask({ messages: hello, purpose: 'agentic' })).toMatchObject({ ok: true });
    }
    expect(
      chats()
        .slice(1)
        .map((body) => 'think' in body),
    ).toEqual([true, false, false]);
  });

  test('calls that the server cannot read twice come back, for the loop to change its mode', async () => {
    const { session, clock, events, chats } = await startSession(
      always('x', [{ kind: 'status', status: 500, body: { error: 'any words' }, times: 'always' }]),
    );
    const asking = session.ask({ messages: hello, tools, purpose: 'agentic' });
    await events.until('retry 1');
    await clock.advance(8000);
    expect(await asking).toMatchObject({ ok: false, failure: { code: 'model_malformed_call' } });
    expect(chats().filter((body) => body['tools'] !== undefined)).toHaveLength(2);
  });

  test('a refused prompt is too long where shorter ones were answered, in whatever words', async () => {
    const { session } = await startSession({
      turns: [
        { reply: { content: 'x' } },
        { reply: { content: 'x' }, faults: [{ kind: 'status', status: 400, body: 'no', times: 'always' }] },
      ],
    });
    await session.ask({ messages: hello, purpose: 'agentic' });
    const answered = [...hello, { role: 'assistant' as const, content: 'x' }];
    const long = [...answered, { role: 'user' as const, content: 'word '.repeat(200) }];
    expect(await session.ask({ messages: long, purpose: 'agentic' })).toMatchObject({
      ok: false,
      failure: { code: 'model_context_exceeded' },
    });
    const other = await startSession(always('x', [{ kind: 'status', status: 400, body: 'no' }]));
    expect(await other.session.ask({ messages: hello, purpose: 'agentic' })).toMatchObject({
      ok: false,
      failure: { code: 'model_request_refused' },
    });
  });

  test('a long wait is told each 30 s', async () => {
    const { session, clock, events, scripted } = await startSession(always('x', [{ kind: 'hold' }]));
    const asking = session.ask({ messages: hello, purpose: 'agentic' });
    await scripted.waitForRequest(
      ({ body }) => (body as { messages?: unknown[] } | null)?.messages?.length === 1,
    );
    await clock.advance(65_000);
    scripted.release();
    expect(await asking).toMatchObject({ ok: true });
    expect(events.texts.slice(1)).toEqual(['Waiting for m:1 (30 s)', 'Waiting for m:1 (60 s)']);
    expect(clock.pending).toBe(0);
  });
});

describe('a prompt that was cut', () => {
  const long: ChatMessage[] = [{ role: 'user', content: 'word '.repeat(2000) }];

  test('silently by an old server is noticed and told', async () => {
    const models = [{ name: MODEL, contextLength: 2048, ignoresTruncate: true }];
    const { session, events } = await startSession({ ...always('x'), models });
    await session.ask({ messages: hello, purpose: 'agentic' });
    expect(await session.ask({ messages: long, purpose: 'agentic' })).toMatchObject({
      ok: true,
      truncated: true,
    });
    expect(events.texts.at(-1)).toMatch(/read only 1024 of about \d+ tokens/);
  });

  test('by no one is not', async () => {
    const { session, events } = await startSession(always('x'));
    expect(await session.ask({ messages: long, purpose: 'agentic' })).not.toHaveProperty('truncated');
    expect(events.texts).toHaveLength(1);
  });

  test('is refused by a newer server instead', async () => {
    const { session } = await startSession({
      ...always('x'),
      models: [{ name: MODEL, contextLength: 2048 }],
    });
    expect(await session.ask({ messages: long, purpose: 'agentic' })).toMatchObject({
      ok: false,
      failure: { code: 'model_context_exceeded' },
    });
  });
});

test('an answer is ended by what it holds, and is no failure', async () => {
  const content = 'one\ntwo\nthree\nfour\n';
  const { session } = await startSession({
    models: [{ name: MODEL }],
    // Without an end it would be waited for.
    turns: [{ reply: { content }, faults: [{ kind: 'stall', afterChunks: 3 }], repeat: 'always' }],
  });
  const heard: string[] = [];
  const extractAnswer = (text: string): string | undefined => {
    heard.push(text);
    return text.includes('two\n') ? 'one\n' : undefined;
  };
  const outcome = await session.ask({ messages: hello, purpose: 'agentic', extractAnswer });
  expect(outcome).toMatchObject({
    ok: true,
    value: { message: { role: 'assistant', content: 'one\n' }, doneReason: 'stop', isEstimated: true },
    cost: { attempts: 1 },
  });
  expect(outcome.cost.tokensIn).toBeGreaterThan(0);
  expect(outcome.cost.readTokens).toBe(outcome.cost.tokensIn);
  expect(outcome.cost.tokensOut).toBeGreaterThan(0);
  // The pieces begin with a line's end, as they do where a server holds back what may begin a stop sequence.
  expect(heard).toEqual(['one\n', 'one\ntwo\n']);
});

test('one that is stopped from outside stays a failure', async () => {
  const stop = new AbortController();
  const { session } = await startSession({
    models: [{ name: MODEL }],
    turns: [
      { reply: { content: 'one\ntwo\n' }, faults: [{ kind: 'stall', afterChunks: 1 }], repeat: 'always' },
    ],
  });
  const asking = session.ask({
    messages: hello,
    purpose: 'agentic',
    signal: stop.signal,
    onDelta: () => stop.abort(),
    extractAnswer: () => undefined,
  });
  expect(await asking).toMatchObject({ ok: false, failure: { code: 'aborted' } });
});

describe('thinking', () => {
  const models = [{ name: MODEL, capabilities: ['completion', 'thinking', 'tools'] }];
  const thought = 'hm '.repeat(20).trim();
  /** Thinks, and goes on after so many pieces only where it is asked again. */
  const thinker = (afterChunks?: number): ScenarioInput => ({
    models,
    turns: [
      {
        reply: { thinking: thought, content: 'the answer' },
        faults: afterChunks === undefined ? [] : [{ kind: 'stall', afterChunks }],
        repeat: 'always',
      },
    ],
  });
  const thinking = { budgetTokens: 5 };

  test('that goes past its budget is stopped, and the same call is made without; both are paid for', async () => {
    const { session, chats, events } = await startSession(thinker(8), {
      models: { [MODEL]: { think: true, thinking } },
    });
    const outcome = await session.ask({ messages: hello, tools, purpose: 'agentic' });
    expect(outcome).toMatchObject({ ok: true, value: { message: { content: 'the answer' } } });
    expect(outcome.ok && outcome.value.message.thinking).toBeUndefined();
    const [, first, second] = chats();
    expect(first).toMatchObject({ think: true, stream: true });
    expect(second).toEqual({ ...first, think: false });
    expect(events.texts).toContain(
      'Stopped the model after 5 tokens of thinking without an answer; asking again without thinking',
    );
    expect(outcome.cost).toMatchObject({ attempts: 2 });
    expect(outcome.cost.tokensOut).toBeGreaterThan(5);
  });

  test('within its budget stays with the answer', async () => {
    const { session, chats } = await startSession(thinker(), {
      models: { [MODEL]: { think: true, thinking: { budgetTokens: 20 } } },
    });
    const outcome = await session.ask({ messages: hello, purpose: 'planning' });
    expect(outcome).toMatchObject({ ok: true, value: { message: { thinking: thought } } });
    expect(chats()).toHaveLength(2);
  });

  test('that cannot be switched off is asked for as little as there is', async () => {
    const { session, chats } = await startSession(thinker(8), {
      models: {
        [MODEL]: { think: { planning: 'medium', agentic: 'low' }, thinking: { ...thinking, after: 'low' } },
      },
    });
    expect(await session.ask({ messages: hello, purpose: 'planning' })).toMatchObject({ ok: true });
    // Thinking that little already has no budget.
    expect(await session.ask({ messages: hello, purpose: 'agentic' })).toMatchObject({ ok: true });
    expect(chats().slice(1)).toMatchObject([{ think: 'medium' }, { think: 'low' }, { think: 'low' }]);
  });

  test('of a task that is stopped is not asked for again', async () => {
    const stop = new AbortController();
    const { session, chats, scripted } = await startSession(thinker(3), {
      models: { [MODEL]: { think: true, thinking } },
      signal: stop.signal,
    });
    const asking = session.ask({ messages: hello, purpose: 'agentic' });
    await scripted.waitForRequest(({ path }) => path === '/api/chat' && chats().length === 2);
    stop.abort();
    expect(await asking).toMatchObject({ ok: false, failure: { code: 'aborted' } });
    expect(chats()).toHaveLength(2);
  });
});
