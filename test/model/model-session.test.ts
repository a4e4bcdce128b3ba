import { afterEach, describe, expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/config/schema.ts';
import { ModelCatalog } from '../../sidecar/model/catalog.ts';
import type { CatalogFileInput } from '../../sidecar/model/catalog-schema.ts';
import type { ChatMessage } from '../../sidecar/model/chat.ts';
import { createModelSession } from '../../sidecar/model/model-session.ts';
import type { ModelSessionOptions } from '../../sidecar/model/model-session.ts';
import { createOllamaServer } from '../../sidecar/model/ollama-server.ts';
import type { ExecutionEvent } from '../../sidecar/protocol/events.ts';
import { startScriptedModel } from '../../sidecar/scripted-model/server.ts';
import type { ScriptedModelServer } from '../../sidecar/scripted-model/server.ts';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import { ManualClock } from '../support/manual-clock.ts';

const running: ScriptedModelServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

const MODEL = 'm:1';
const hello: ChatMessage[] = [{ role: 'user', content: 'hello' }];
const tools = [{ type: 'function' as const, function: { name: 'x', description: '', parameters: {} } }];

/** Collects status texts and waits for one. */
function listen() {
  const texts: string[] = [];
  const waiting: { part: string; found: () => void }[] = [];
  return {
    texts,
    onProgress: ({ text }: ExecutionEvent) => {
      texts.push(text);
      for (const { part, found } of waiting) if (text.includes(part)) found();
    },
    until: async (part: string) => {
      if (texts.some((text) => text.includes(part))) return;
      await new Promise<void>((found) => waiting.push({ part, found }));
    },
  };
}

type Setup = Partial<ModelSessionOptions> & {
  ollama?: NonNullable<Parameters<typeof configSchema.parse>[0]> & object;
  models?: CatalogFileInput['models'];
  port?: number;
};

async function start(scenario: ScenarioInput, { ollama = {}, models = {}, port, ...more }: Setup = {}) {
  const scripted = await startScriptedModel({ scenario: { models: [{ name: MODEL }], ...scenario }, port });
  running.push(scripted);
  const clock = new ManualClock();
  const events = listen();
  const session = createModelSession({
    server: createOllamaServer({ baseUrl: scripted.url }),
    model: MODEL,
    entry: new ModelCatalog({ models: { [MODEL]: {}, ...models } }).entry(MODEL),
    limits: configSchema.parse({ ollama }).ollama,
    clock,
    onProgress: events.onProgress,
    random: () => 0.5,
    ...more,
  });
  const chats = () =>
    scripted.requests
      .filter(({ path }) => path === '/api/chat')
      .map(({ body }) => body as Record<string, unknown>);
  return { scripted, clock, events, session, chats };
}
const always = (
  content: string,
  faults: NonNullable<ScenarioInput['turns']>[number]['faults'] = [],
): ScenarioInput => ({
  turns: [{ reply: { content }, faults, repeat: 'always' }],
});

describe('preparing', () => {
  test('loads with the smallest of configured, trained and catalogued windows', async () => {
    const windows = [
      [{ models: [{ name: MODEL, contextLength: 8000 }] }, {}, 8000],
      [{ models: [{ name: MODEL, contextLength: 128_000 }] }, {}, 32_768],
      [{}, { ollama: { maxContextTokens: 4000 } }, 4000],
      [{}, { models: { [MODEL]: { contextWindow: 6000 } } }, 6000],
    ] as const;
    for (const [scenario, setup, numCtx] of windows) {
      const { session, chats } = await start(
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
    const { session, chats } = await start(always('x'));
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
    const { session } = await start({ ...always('x'), models }, { toolMode });
    expect(await session.prepare()).toMatchObject({ ok: true, value: { toolMode: expected } });
  });

  test('a missing model says how to get it, and another attempt asks again', async () => {
    const { session, scripted } = await start({ ...always('x'), models: [{ name: 'other:1' }] });
    const failed = { ok: false, failure: { code: 'model_not_found' } };
    expect(await session.prepare()).toMatchObject(failed);
    expect(await session.ask({ messages: hello, purpose: 'simple' })).toMatchObject(failed);
    expect(scripted.requests.map(({ path }) => path)).toEqual(['/api/show', '/api/show']);
  });

  test('a missing model is pulled with progress when that is on', async () => {
    const models = [{ name: MODEL, installed: false }];
    const { session, events } = await start({ ...always('x'), models }, { ollama: { autoPull: true } });
    expect(await session.prepare()).toMatchObject({ ok: true });
    expect(events.texts.slice(0, 5)).toEqual([
      'Pulling m:1',
      'Pulling m:1: 25 %',
      'Pulling m:1: 50 %',
      'Pulling m:1: 75 %',
      'Pulling m:1: 100 %',
    ]);
  });

  test('a model outside of the catalogue works with its own window and a warning', async () => {
    const { session, events } = await start(
      { ...always('x'), models: [{ name: MODEL, contextLength: 9000 }] },
      { entry: new ModelCatalog().entry(MODEL) },
    );
    expect(await session.prepare()).toMatchObject({ ok: true, value: { numCtx: 9000 } });
    expect(events.texts[0]).toContain('not in the catalogue');
  });

  test('a slow load is told each 30 s', async () => {
    const { session, clock, events, scripted } = await start({
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
    const { session, chats } = await start(
      { ...always('x'), endpoints: { load: [{ kind: 'silent', times: 'always' }] } },
      { ollama: { loadTimeoutMs: 40 } },
    );
    expect(await session.prepare()).toMatchObject({ ok: false, failure: { code: 'model_timeout' } });
    expect(chats()).toHaveLength(1);
  });

  test('a smaller window than asked for is used and told once', async () => {
    const models = [{ name: MODEL, loadedContext: 2048 }];
    const { session, events } = await start({ ...always('x'), models });
    await session.prepare();
    await session.ask({ messages: hello, purpose: 'agentic' });
    expect(session.windowTokens).toBe(2048);
    expect(events.texts.filter((text) => text.includes('Warning'))).toEqual([
      'Warning: the server loaded m:1 with a window of 2048 tokens instead of 32768',
    ]);
  });
});

describe('asking', () => {
  test('every purpose has its temperature, and all the same window', async () => {
    const { session, chats } = await start(always('x'));
    for (const purpose of ['agentic', 'planning', 'summary', 'simple'] as const) {
      await session.ask({ messages: hello, purpose });
    }
    expect(chats().slice(1)).toEqual(
      [
        [0.2, false],
        [0.3, false],
        [0.1, false],
        [0.2, true],
      ].map(([temperature, stream]) => ({
        model: MODEL,
        messages: hello,
        stream,
        think: false,
        keep_alive: '10m',
        truncate: false,
        options: { temperature, num_ctx: 32_768 },
      })),
    );
  });

  test("the catalogue's options win, a grammar stays cool, thinking follows the purpose", async () => {
    const models = [{ name: MODEL, capabilities: ['completion', 'thinking', 'tools'] }];
    const { session, chats } = await start(
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

  test('a model that cannot think is never asked to', async () => {
    const { session, chats } = await start(always('x'), { models: { [MODEL]: { think: 'high' } } });
    await session.ask({ messages: hello, purpose: 'agentic' });
    expect(chats()[1]).toMatchObject({ think: false });
  });

  test('simple calls stream their text', async () => {
    const { session } = await start(always('one two'));
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
    expect(session.streams('agentic')).toBe(false);
  });

  test('a refusal of tools comes back at once, for the loop to change its mode', async () => {
    const refused = { kind: 'status' as const, status: 400, body: { error: 'm:1 does not support tools' } };
    const { session, chats } = await start(always('x', [refused]));
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
    const { session, chats } = await start(always('x', [refused]));
    for (let call = 0; call < 2; call += 1) {
      expect(await session.ask({ messages: hello, purpose: 'agentic' })).toMatchObject({ ok: true });
    }
    expect(
      chats()
        .slice(1)
        .map((body) => 'think' in body),
    ).toEqual([true, false, false]);
  });

  test('a server that never can parse the calls of its model counts as one without tools', async () => {
    const body = { error: `error parsing tool call: raw='{"path":]', err=invalid character` };
    const { session, clock, events } = await start(
      always('x', [{ kind: 'status', status: 500, body, times: 'always' }]),
    );
    const asking = session.ask({ messages: hello, tools, purpose: 'agentic' });
    for (const number of [1, 2]) {
      await events.until(`retry ${number}`);
      await clock.advance(8000);
    }
    expect(await asking).toMatchObject({ ok: false, failure: { code: 'tools_unsupported' } });
  });

  test('a long wait is told each 30 s', async () => {
    const { session, clock, events, scripted } = await start(always('x', [{ kind: 'hold' }]));
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

describe('retries', () => {
  const busy = { kind: 'status' as const, status: 503, body: { error: 'server busy' } };

  test('two, with growing pauses, each told; the cost of all attempts is added up', async () => {
    const { session, clock, events } = await start(
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
    const { session, clock, events } = await start(always('x', [{ ...busy, times: 'always' }]));
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
    const { session, clock, events, scripted, chats } = await start(always('x'));
    await session.prepare();
    await scripted.close();
    const asking = session.ask({ messages: hello, purpose: 'agentic' });
    await events.until('retry 1');
    const again = await startScriptedModel({
      scenario: { models: [{ name: MODEL }], ...always('y') },
      port: scripted.port,
    });
    running.push(again);
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
    const { session, clock, events } = await start(always('x', [busy]), { signal: controller.signal });
    const asking = session.ask({ messages: hello, purpose: 'agentic' });
    await events.until('retry 1');
    controller.abort();
    expect(await asking).toMatchObject({ ok: false, failure: { code: 'model_busy' } });
    expect(clock.pending).toBe(0);
  });

  test('a model that may have been unloaded meanwhile is loaded with its own budget', async () => {
    const { session, clock, chats } = await start(always('x'));
    await session.ask({ messages: hello, purpose: 'agentic' });
    await clock.advance(300_000);
    await session.ask({ messages: hello, purpose: 'agentic' });
    expect(chats().map(({ messages }) => (messages as []).length)).toEqual([0, 1, 0, 1]);
  });
});

describe('a prompt that was cut', () => {
  const long: ChatMessage[] = [{ role: 'user', content: 'word '.repeat(2000) }];

  test('silently by an old server is noticed and told', async () => {
    const models = [{ name: MODEL, contextLength: 2048, ignoresTruncate: true }];
    const { session, events } = await start({ ...always('x'), models });
    await session.ask({ messages: hello, purpose: 'agentic' });
    expect(await session.ask({ messages: long, purpose: 'agentic' })).toMatchObject({
      ok: true,
      truncated: true,
    });
    expect(events.texts.at(-1)).toMatch(/read only 1024 of about \d+ tokens/);
  });

  test('by no one is not', async () => {
    const { session, events } = await start(always('x'));
    expect(await session.ask({ messages: long, purpose: 'agentic' })).not.toHaveProperty('truncated');
    expect(events.texts).toHaveLength(1);
  });

  test('is refused by a newer server instead', async () => {
    const { session } = await start({ ...always('x'), models: [{ name: MODEL, contextLength: 2048 }] });
    expect(await session.ask({ messages: long, purpose: 'agentic' })).toMatchObject({
      ok: false,
      failure: { code: 'model_context_exceeded' },
    });
  });
});
