/** A model before its first question: found, pulled, loaded with a window. */
import { describe, expect, test } from '@jest/globals';
import { ModelCatalog } from '../../sidecar/model/catalog.ts';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import { always, hello, MODEL, startSession } from './session-fixture.ts';

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
      { entry: catalog.entry(MODEL), refine: (details) => catalog.entry(MODEL, details) },
    );
    expect(await session.prepare()).toMatchObject({
      ok: true,
      value: { numCtx: 9000, entry: { known: false, solving: { drafts: 8, form: 'definitions' } } },
    });
    expect(events.texts[0]).toBe(
      `The catalogue does not know ${MODEL}: it gets the settings for its size (1.5B)`,
    );
    expect(events.texts.join()).not.toContain('Warning');
  });

  test('what the server tells of a model wins over its profile, what is set by hand stays', async () => {
    const catalog = new ModelCatalog();
    const name = 'smollm2:1.7b';
    const { session } = await startSession(
      { ...always('x'), models: [{ name, contextLength: 6000, capabilities: ['completion', 'tools'] }] },
      { model: name, entry: catalog.entry(name), refine: (details) => catalog.entry(name, details) },
    );
    expect(await session.prepare()).toMatchObject({
      ok: true,
      value: { numCtx: 6000, toolMode: 'structured', entry: { known: true, contextWindow: 6000 } },
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
    expect(await session.prepare()).toMatchObject({ ok: false, failure: { code: 'model_timeout' } });
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
