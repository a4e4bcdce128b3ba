import { describe, expect, test } from '@jest/globals';
import { gpuSecondsOf } from '../../sidecar/worker/ledger/amount.ts';
import { ModelCatalog } from '../../sidecar/model/catalog.ts';
import type { ChatOutcome } from '../../sidecar/model/chat.ts';
import { estimateFileBytes, fitOf, recommendModels } from '../../sidecar/model/recommend.ts';
import { addCost, createZeroCost, costOf } from '../../sidecar/model/call-cost.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { testModel } from '../support/scripted-model.ts';
import { always, hello, MODEL, startSession } from './session-fixture.ts';

/** A model before its first question: found, pulled, loaded with a window. */
describe('preparing', () => {
  test('loads with the smallest of configured, trained and catalogued windows', async () => {
    const windows = [
      [{ models: [{ name: MODEL, contextLength: 8000 }] }, {}, 8000],
      [{ models: [{ name: MODEL, contextLength: 128_000 }] }, {}, 32_768],
      [{}, { ollama: { maxContextTokens: 4000 } }, 4000],
      [{}, { models: { [MODEL]: { contextWindow: 6000 } } }, 6000],
    ] as const;
    for (const [scenario, setup, numCtx] of windows) {
      const { session, chats } = await startSession(
        { ...always('x'), ...(scenario as Partial<ScenarioInput>) },
        setup,
      );
      expect(await session.prepare()).toMatchObject({ ok: true, value: { numCtx, toolMode: 'native' } });
      expect(session.windowTokens).toBe(numCtx);
      expect(chats()).toEqual([
        expect.objectContaining({
          messages: [],
          options: { num_ctx: numCtx, temperature: 0.2 },
          keep_alive: '10m',
        }),
      ]);
    }
  });

  test('is done once, however often it is asked for', async () => {
    const { session, chats } = await startSession(always('x'));
    await Promise.all([session.prepare(), session.prepare()]);
    await session.ask({ messages: hello, purpose: 'agentic' });
    expect(chats().map(({ messages }) => (messages as []).length)).toEqual([0, 1]);
  });

  test.each([
    [['completion', 'tools'], undefined, 'native'],
    [['completion'], undefined, 'structured'],
    [['completion', 'tools'], 'text', 'text'],
    [[], 'auto', 'native'],
  ] as const)('capabilities %j, configured %s: %s', async (capabilities, toolMode, expected) => {
    const models = [{ name: MODEL, capabilities: [...capabilities] }];
    const { session } = await startSession({ ...always('x'), models }, { toolMode });
    expect(await session.prepare()).toMatchObject({ ok: true, value: { toolMode: expected } });
  });

  test('a missing model says how to get it, and another attempt asks again', async () => {
    const { session, scripted } = await startSession({ ...always('x'), models: [{ name: 'other:1' }] });
    const failed = { ok: false, failure: { code: 'model_not_found' } };
    expect(await session.prepare()).toMatchObject(failed);
    expect(await session.ask({ messages: hello, purpose: 'simple' })).toMatchObject(failed);
    expect(scripted.requests.map(({ path }) => path)).toEqual([
      '/api/show',
      '/api/tags',
      '/api/show',
      '/api/tags',
    ]);
  });

  test('a missing model is pulled with progress when that is on', async () => {
    const models = [{ name: MODEL, installed: false }];
    const { session, events } = await startSession(
      { ...always('x'), models },
      { ollama: { autoPull: true } },
    );
    expect(await session.prepare()).toMatchObject({ ok: true });
    expect(events.texts.slice(0, 5)).toEqual([
      'Pulling m:1',
      'Pulling m:1: 25 %',
      'Pulling m:1: 50 %',
      'Pulling m:1: 75 %',
      'Pulling m:1: 100 %',
    ]);
  });

  test('a model outside of the catalogue works with its own window and the settings for its size', async () => {
    const catalog = new ModelCatalog();
    const { session, events } = await startSession(
      { ...always('x'), models: [{ name: MODEL, contextLength: 9000, parameterSize: '1.5B' }] },
      { entry: catalog.findEntry(MODEL), refineEntry: (details) => catalog.findEntry(MODEL, details) },
    );
    expect(await session.prepare()).toMatchObject({
      ok: true,
      value: { numCtx: 9000, entry: { isKnown: false, solving: { drafts: 8, form: 'definitions' } } },
    });
    expect(events.texts[0]).toBe(
      `The catalog has no entry for ${MODEL}: using the settings for its size (1.5B)`,
    );
    expect(events.texts.join()).not.toContain('Warning');
  });

  test('what the server tells of a model wins over its profile, what is set by hand stays', async () => {
    const catalog = new ModelCatalog();
    const name = 'smollm2:1.7b';
    const { session } = await startSession(
      { ...always('x'), models: [{ name, contextLength: 6000, capabilities: ['completion', 'tools'] }] },
      {
        model: name,
        entry: catalog.findEntry(name),
        refineEntry: (details) => catalog.findEntry(name, details),
      },
    );
    expect(await session.prepare()).toMatchObject({
      ok: true,
      value: { numCtx: 6000, toolMode: 'structured', entry: { isKnown: true, contextWindow: 6000 } },
    });
  });

  test('a slow load is told each 30 s', async () => {
    const { session, clock, events, scripted } = await startSession({
      ...always('x'),
      endpoints: { load: [{ kind: 'hold' }] },
    });
    const preparing = session.prepare();
    await scripted.waitForRequest(({ path }) => path === '/api/chat');
    await clock.advance(95_000);
    scripted.release();
    expect(await preparing).toMatchObject({ ok: true });
    expect(events.texts).toEqual([
      'Loading m:1 with a window of 32768 tokens',
      'Loading m:1 (30 s)',
      'Loading m:1 (60 s)',
      'Loading m:1 (90 s)',
    ]);
    expect(clock.pending).toBe(0);
  });

  test('a load past its budget fails once and is not retried', async () => {
    const { session, chats } = await startSession(
      { ...always('x'), endpoints: { load: [{ kind: 'silent', times: 'always' }] } },
      { ollama: { loadTimeoutMs: 40 } },
    );
    expect(await session.prepare()).toMatchObject({ ok: false, failure: { code: 'model_load_failed' } });
    expect(chats()).toHaveLength(1);
  });

  test('a smaller window than asked for is used and told once', async () => {
    const models = [{ name: MODEL, loadedContext: 2048 }];
    const { session, events } = await startSession({ ...always('x'), models });
    await session.prepare();
    await session.ask({ messages: hello, purpose: 'agentic' });
    expect(session.windowTokens).toBe(2048);
    expect(events.texts.filter((text) => text.includes('Warning'))).toEqual([
      'Warning: the server loaded m:1 with a window of 2048 tokens instead of 32768',
    ]);
  });
});

/** Which models fit a machine, and which are recommended. */
const GIB = 1024 ** 3;
const machine = (card: number | undefined, memory: number) => ({
  ...(card !== undefined && { cardBytes: card * GIB }),
  memoryBytes: memory * GIB,
});

test.each([
  [4.7e9, machine(8, 16), 'card'],
  [9e9, machine(8, 32), 'split'],
  [9e9, machine(12, 16), 'card'],
  [4.7e9, machine(undefined, 16), 'memory'],
  [20e9, machine(undefined, 16), 'too large'],
  [40e9, machine(24, 16), 'too large'],
])('a file of %d bytes on %j: %s', (sizeBytes, memory, fit) => {
  expect(fitOf(sizeBytes, memory)).toBe(fit);
});

test('the estimate of a file is near what the library has', () => {
  expect(estimateFileBytes(7.6) / 4.7e9).toBeCloseTo(1, 1);
  expect(estimateFileBytes(1.5) / 0.986e9).toBeCloseTo(1, 0);
});

describe('recommended', () => {
  const names = (card: number | undefined, memory: number, cores = 8) =>
    recommendModels({ ...machine(card, memory), cores }).map(({ name }) => name);

  test('are the most capable that are whole on the card', () => {
    expect(names(8, 32)).toEqual(['qwen2.5-coder:7b', 'qwen2.5-coder:3b', 'qwen2.5-coder:1.5b']);
    expect(names(24, 64).slice(0, 2)).toEqual(['qwen3-coder:30b', 'devstral:24b']);
    expect(recommendModels({ ...machine(8, 32), cores: 2 }).every(({ fit }) => fit === 'card')).toBe(true);
  });

  test('are small or sparse ones where a processor does the work', () => {
    expect(names(undefined, 8)).toEqual(['qwen2.5-coder:3b', 'qwen2.5-coder:1.5b', 'qwen2.5-coder:0.5b']);
    expect(names(undefined, 64)[0]).toBe('qwen3-coder:30b');
    expect(names(undefined, 64, 2)).toEqual(['qwen2.5-coder:1.5b', 'qwen2.5-coder:0.5b']);
    expect(names(1, 8)).toEqual(names(undefined, 8));
  });

  test('are none where nothing fits', () => {
    expect(names(undefined, 1)).toEqual([]);
  });
});

/** Questions that are asked again, because the first attempt failed in a way that may pass. */
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
      cost: { attempts: 3, tokensOut: 5 },
    });
    expect(events.texts[1]).toBe('the server is busy (HTTP 503): server busy; retry 1 of 2 in 2.0 s');
    // Two more: the model was loaded at first and after the broken stream.
    expect(session.totalCost).toMatchObject({ attempts: 5, tokensOut: 5 });
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
      cost: { attempts: 3 },
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

const counts = { tokensIn: 10, tokensOut: 5, totalNs: 4e9, loadNs: 1e9, promptEvalNs: 1e9, evalNs: 1e9 };
const answer: ChatOutcome = {
  ok: true,
  value: { message: { role: 'assistant', content: '' }, doneReason: 'stop', ...counts },
};
const failed = (code: string): ChatOutcome => ({
  ok: false,
  failure: { code, message: '', partial: { content: 'x', tokensOut: 3 } },
});

test('an answer costs what the server says, and the time on the wall where it says nothing', () => {
  expect(costOf(answer, 9000)).toEqual({ attempts: 1, waitedMs: 0, readTokens: counts.tokensIn, ...counts });
  const silent: ChatOutcome = { ok: true, value: { ...answer.value, totalNs: 0 } };
  expect(costOf(silent, 9000).totalNs).toBe(9e9);
});

test('a call that timed out used the GPU, a refused one did not', () => {
  const sum = createZeroCost();
  addCost(sum, costOf(failed('model_timeout'), 120_000));
  addCost(sum, costOf(failed('model_busy'), 50));
  addCost(sum, costOf(answer, 4000));
  expect(sum).toMatchObject({ attempts: 3, tokensIn: 10, tokensOut: 11 });
  expect(gpuSecondsOf(sum)).toBe(123);
});
