/** Questions that are asked again, because the first attempt failed in a way that may pass. */
import { describe, expect, test } from '@jest/globals';
import { testModel } from '../support/scripted-model.ts';
import { always, hello, MODEL, startSession } from './session-fixture.ts';

describe('retries', () => {
  const busy = { kind: 'status' as const, status: 503, body: { error: 'server busy' } };

  test('two, with growing pauses, each told; the cost of all attempts is added up', async () => {
    const { session, clock, events } = await startSession(
      always('a b c d', [busy, { kind: 'no_done', afterChunks: 3 }]),
    );
    const asking = session.ask({ messages: hello, purpose: 'simple' });
    await events.until('retry 1 of 2 in 2.0 s');
    await clock.advance(2000);
    await events.until('retry 2 of 2 in 8.0 s');
    await clock.advance(8000);
    const outcome = await asking;
    expect(outcome).toMatchObject({
      ok: true,
      value: { tokensOut: 2 },
      spent: { attempts: 3, tokensOut: 5 },
    });
    expect(events.texts[1]).toBe('the server is busy (HTTP 503): server busy; retry 1 of 2 in 2.0 s');
    // Two more: the model was loaded at first and after the broken stream.
    expect(session.spent).toMatchObject({ attempts: 5, tokensOut: 5 });
  });

  test('the third failure is final', async () => {
    const { session, clock, events } = await startSession(always('x', [{ ...busy, times: 'always' }]));
    const asking = session.ask({ messages: hello, purpose: 'agentic' });
    for (const number of [1, 2]) {
      await events.until(`retry ${number}`);
      await clock.advance(8000);
    }
    expect(await asking).toMatchObject({
      ok: false,
      failure: { code: 'model_busy' },
      spent: { attempts: 3 },
    });
  });

  test('a server that was restarted loads the model again before the retry', async () => {
    const { session, clock, events, scripted, chats } = await startSession(always('x'));
    await session.prepare();
    await scripted.close();
    const asking = session.ask({ messages: hello, purpose: 'agentic' });
    await events.until('retry 1');
    const again = await testModel({ models: [{ name: MODEL }], ...always('y') }, scripted.port);
    await clock.advance(2000);
    expect(await asking).toMatchObject({ ok: true, value: { message: { content: 'y' } } });
    expect(chats()).toHaveLength(1);
    expect(again.requests.map(({ body }) => (body as { messages?: [] } | null)?.messages?.length)).toEqual([
      0,
      1,
      undefined,
    ]);
  });

  test('an abort ends the pause and the task keeps its failure', async () => {
    const controller = new AbortController();
    const { session, clock, events } = await startSession(always('x', [busy]), { signal: controller.signal });
    const asking = session.ask({ messages: hello, purpose: 'agentic' });
    await events.until('retry 1');
    controller.abort();
    expect(await asking).toMatchObject({ ok: false, failure: { code: 'model_busy' } });
    expect(clock.pending).toBe(0);
  });

  test('a model that may have been unloaded meanwhile is loaded with its own budget', async () => {
    const { session, clock, chats } = await startSession(always('x'));
    await session.ask({ messages: hello, purpose: 'agentic' });
    await clock.advance(300_000);
    await session.ask({ messages: hello, purpose: 'agentic' });
    expect(chats().map(({ messages }) => (messages as []).length)).toEqual([0, 1, 0, 1]);
  });
});
