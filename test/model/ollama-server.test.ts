import { describe, expect, test } from '@jest/globals';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createOllamaServer } from '../../sidecar/model/ollama-server.ts';
import type { ChatRequest } from '../../sidecar/model/chat.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { slowness } from '../support/pace.ts';
import { say, testModel } from '../support/scripted-model.ts';

async function start(scenario: ScenarioInput, port?: number) {
  const scripted = await testModel(scenario, port);
  return { scripted, server: createOllamaServer({ baseUrl: scripted.url }) };
}
type Faults = NonNullable<NonNullable<ScenarioInput['turns']>[number]['faults']>;
const faulty = (...faults: Faults): ScenarioInput => ({
  turns: [{ ...say('one two three four five'), faults, repeat: 'always' }],
});
const request = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'scripted',
  messages: [{ role: 'user', content: 'hello' }],
  stream: false,
  ...more,
});

describe('answers', () => {
  test('a whole answer carries content, thinking, calls and counts', async () => {
    const { server } = await start({
      turns: [
        {
          reply: {
            content: 'hi',
            thinking: 'hm',
            tool_calls: [{ name: 'read_file', arguments: { path: 'a' } }],
          },
          tokensIn: 7,
          tokensOut: 3,
        },
      ],
    });
    const tools = [
      { type: 'function' as const, function: { name: 'read_file', description: '', parameters: {} } },
    ];
    const expected = {
      ok: true,
      value: {
        message: {
          role: 'assistant',
          content: 'hi',
          thinking: 'hm',
          tool_calls: [{ function: { name: 'read_file', arguments: { path: 'a' } } }],
        },
        doneReason: 'stop',
        tokensIn: 7,
        tokensOut: 3,
        promptEvalNs: 7_000_000,
        evalNs: 75_000_000,
      },
    };
    expect(await server.chat(request({ tools }), {})).toMatchObject(expected);
    expect(await server.chat(request({ tools, stream: true }), {})).toMatchObject(expected);
  });

  test('a stream gives its deltas first and the same whole answer', async () => {
    const { server } = await start(faulty());
    const deltas: string[] = [];
    const outcome = await server.chat(request({ stream: true }), {
      onDelta: ({ content }) => deltas.push(content),
    });
    expect(deltas).toEqual(['one', ' two', ' three', ' four', ' five']);
    expect(outcome).toMatchObject({ ok: true, value: { message: { content: 'one two three four five' } } });
  });

  test('a load took as long as the call for it, since a server says nothing of that', async () => {
    const { server } = await start({ models: [{ name: 'm:1' }], turns: [say('x')] });
    const outcome = await server.chat(request({ model: 'm:1', messages: [] }), {});
    if (!outcome.ok) throw new Error(outcome.failure.message);
    expect(outcome.value).toMatchObject({ doneReason: 'load', totalNs: 0 });
    expect(outcome.value.loadNs).toBeGreaterThan(0);
  });

  test('show, list, loaded and version are read', async () => {
    const { server } = await start({
      models: [{ name: 'm:1', capabilities: ['completion'], contextLength: 5000 }],
      turns: [say('x')],
    });
    await server.chat(request({ model: 'm:1', options: { num_ctx: 2048 } }), {});
    expect(await server.show('m:1')).toEqual({
      ok: true,
      value: {
        model: 'm:1',
        capabilities: ['completion'],
        contextLength: 5000,
        parameterSize: '7.6B',
        family: 'scripted',
      },
    });
    expect(await server.list()).toMatchObject({ ok: true, value: [{ name: 'm:1' }] });
    expect(await server.listLoaded()).toMatchObject({
      ok: true,
      value: [{ name: 'm:1', contextLength: 2048 }],
    });
    expect(await server.version()).toEqual({ ok: true, value: '0.0.0-scripted' });
  });

  test('a pull reports percent that only goes up, and a model that does not exist fails', async () => {
    const { server } = await start({ models: [{ name: 'm:1', installed: false }], turns: [{}] });
    const percents: number[] = [];
    expect(await server.pull('m:1', { onPercent: (percent) => percents.push(percent) })).toEqual({
      ok: true,
      value: true,
    });
    expect(percents).toEqual([25, 50, 75, 100]);
    expect(await server.pull('nope', {})).toMatchObject({
      ok: false,
      failure: { code: 'model_not_found' },
    });
  });
});

describe('failures', () => {
  test('connection refused names the address and `ollama serve`', async () => {
    const { scripted, server } = await start(faulty());
    await scripted.close();
    const outcome = await server.chat(request(), {});
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'model_unreachable', retryable: true } });
    expect(!outcome.ok && outcome.failure.message).toContain(scripted.url);
    expect(!outcome.ok && outcome.failure.message).toContain('ollama serve');
  });

  test('a model that is not installed says how to get it', async () => {
    const { server } = await start(faulty());
    const outcome = await server.chat(request({ model: 'gone:7b' }), {});
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'model_not_found', httpStatus: 404 } });
    expect(!outcome.ok && outcome.failure.message).toContain('ollama pull gone:7b');
  });

  test.each([
    ['pull model manifest: file does not exist', 'the registry does not have this model'],
    [
      'pull model manifest: Get "https://registry.example/v2": dial tcp: lookup registry.example: no such host',
      'the server could not reach the registry for this model',
    ],
  ])('a pull that ends with %j says that %s', async (error, about) => {
    const { server } = await start(faulty({ kind: 'status', status: 500, body: { error } }));
    const outcome = await server.chat(request(), {});
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'model_not_found', retryable: false } });
    expect(!outcome.ok && outcome.failure.message).toContain(`${about} (HTTP 500): ${error}`);
  });

  test('a model without tool support is told apart from other refusals', async () => {
    const { server } = await start({
      models: [{ name: 'scripted', capabilities: ['completion'] }],
      turns: [{}],
    });
    const tools = [{ type: 'function' as const, function: { name: 'x', description: '', parameters: {} } }];
    expect(await server.chat(request({ tools }), {})).toMatchObject({
      ok: false,
      failure: { code: 'tools_unsupported', httpStatus: 400, retryable: false },
    });
  });

  test.each([
    [400, 'model_request_refused', false],
    [500, 'model_server_error', true],
    [429, 'model_busy', true],
    [503, 'model_busy', true],
  ])('HTTP %i is %s', async (status, code, retryable) => {
    const { server } = await start(faulty({ kind: 'status', status, body: { error: 'because of reasons' } }));
    const outcome = await server.chat(request(), {});
    expect(outcome).toMatchObject({ ok: false, failure: { code, retryable, httpStatus: status } });
    expect(!outcome.ok && outcome.failure.message).toContain('because of reasons');
  });

  const offered = [{ type: 'function' as const, function: { name: 'x', description: '', parameters: {} } }];

  test.each([
    [{ kind: 'status' as const, status: 500, body: { error: 'empty function name' } }, true],
    [
      { kind: 'error_line' as const, error: 'mismatched arg_key and arg_value counts: 2 keys, 1 values' },
      true,
    ],
    [{ kind: 'status' as const, status: 502, body: 'bad gateway' }, false],
  ])('%j at a call with tools is the model\u2019s while the server is well: %s', async (fault, isModels) => {
    const { server } = await start(faulty({ ...fault, times: 'always' }));
    const codeOf = async (tools?: typeof offered) => {
      const outcome = await server.chat(request({ stream: true, tools }), {});
      return outcome.ok ? undefined : outcome.failure.code;
    };
    expect(await codeOf(offered)).toBe(isModels ? 'model_malformed_call' : 'model_server_error');
    expect(await codeOf()).toBe('model_server_error');
    const unwell = await start({
      ...faulty({ ...fault, times: 'always' }),
      endpoints: { '/api/version': [{ kind: 'reset', times: 'always' }] },
    });
    const outcome = await unwell.server.chat(request({ stream: true, tools: offered }), {});
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'model_server_error' } });
  });

  test.each([401, 403])('HTTP %i of a model that the server lists is not its password', async (status) => {
    const { server } = await start(faulty({ kind: 'status', status, body: { error: 'unauthorized' } }));
    const outcome = await server.chat(request(), {});
    expect(!outcome.ok && outcome.failure.message).toMatch(
      /refuses access to it; a cloud model needs `ollama signin`/u,
    );
  });

  test.each([
    ['7', 7_000],
    ['soon', undefined],
  ])('Retry-After %j is passed on', async (retryAfter, retryAfterMs) => {
    const { server } = await start(faulty({ kind: 'status', status: 429, retryAfter }));
    const outcome = await server.chat(request(), {});
    expect(!outcome.ok && outcome.failure.retryAfterMs).toBe(retryAfterMs);
  });

  test.each([
    ['cut', true, 'model_incomplete'],
    ['cut', false, 'model_incomplete'],
    ['no_done', true, 'model_incomplete'],
    ['no_done', false, 'model_garbage'],
    ['error_line', true, 'model_server_error'],
    ['garbage', true, 'model_garbage'],
    ['garbage', false, 'model_garbage'],
    ['reset', true, 'model_incomplete'],
    ['reset', false, 'model_incomplete'],
  ] as const)('%s (stream: %s) is %s', async (kind, stream, code) => {
    const { server } = await start(faulty({ kind }));
    expect(await server.chat(request({ stream }), {})).toMatchObject({
      ok: false,
      failure: { code, retryable: true },
    });
    expect(await server.chat(request({ stream }), {})).toMatchObject({ ok: true });
  });

  test('a card that writes one token for ever is named', async () => {
    const { server } = await start({ turns: [{ reply: { content: ' G'.repeat(2_000) }, repeat: 'always' }] });
    const outcome = await server.chat(request({ stream: true }), {});
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'model_repeats_token', retryable: false } });
    expect(!outcome.ok && outcome.failure.message).toMatch(/repeats only "G": the GPU, its driver/u);
  });

  test('what a broken stream had sent is kept', async () => {
    const { server } = await start(faulty({ kind: 'no_done', afterChunks: 3 }));
    expect(await server.chat(request({ stream: true }), {})).toMatchObject({
      ok: false,
      failure: { partial: { content: 'one two three', tokensOut: 3 } },
    });
  });

  test('a prompt longer than the window is refused, not cut silently', async () => {
    const { server } = await start(faulty());
    const messages = [{ role: 'user' as const, content: 'x'.repeat(9000) }];
    expect(await server.chat(request({ messages, options: { num_ctx: 2048 } }), {})).toMatchObject({
      ok: false,
      failure: { code: 'model_context_exceeded' },
    });
  });

  test('a server that speaks no HTTP is a failure like any other', async () => {
    const listener = createServer((socket) => socket.resume().end('SSH-2.0-OpenSSH_9.2\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => listener.once('listening', resolve));
    const server = createOllamaServer({
      baseUrl: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    });
    expect(await server.chat(request(), {})).toMatchObject({ ok: false, failure: { retryable: true } });
    await new Promise((resolve) => listener.close(resolve));
  });

  test.each([true, false])('50 MB (stream: %s) are refused and the connection is closed', async (stream) => {
    const { scripted, server } = await start(faulty({ kind: 'huge', sizeBytes: 50 * 1024 * 1024 }));
    expect(await server.chat(request({ stream }), {})).toMatchObject({
      ok: false,
      failure: { code: 'model_reply_too_large', retryable: false },
    });
    const recorded = await scripted.waitForRequest(1);
    await recorded.ended;
    expect(recorded.closedEarly).toBe(true);
  });
});

describe('ending a call', () => {
  test.each([
    ['answer', 'silent', false, { timeoutMs: 50 }],
    ['first token', 'silent', true, { firstTokenTimeoutMs: 50 }],
    ['next token', 'stall', true, { firstTokenTimeoutMs: 5000, betweenTokensTimeoutMs: 50 }],
  ] as const)('no %s in time is model_timeout', async (budget, kind, stream, limits) => {
    const { scripted, server } = await start(faulty({ kind }));
    const outcome = await server.chat(request({ stream }), limits);
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'model_timeout', retryable: true } });
    expect(!outcome.ok && outcome.failure.message).toContain(budget);
    const recorded = await scripted.waitForRequest(1);
    await recorded.ended;
    expect(recorded.closedEarly).toBe(true);
  });

  test.each([
    ['silent', false],
    ['silent', true],
    ['stall', true],
    ['stall', false],
  ] as const)('an abort is seen by the server at once (%s, stream: %s)', async (kind, stream) => {
    const { scripted, server } = await start(faulty({ kind }));
    const controller = new AbortController();
    const answer = server.chat(request({ stream }), { signal: controller.signal });
    const recorded = await scripted.waitForRequest(1);
    const abortedAtMs = Date.now();
    controller.abort();
    expect(await answer).toMatchObject({ ok: false, failure: { code: 'aborted', retryable: false } });
    await recorded.ended;
    expect(recorded.closedEarly).toBe(true);
    expect(recorded.endedAtMs! - abortedAtMs).toBeLessThan(5_000 * slowness());
  });

  test('the caller\u2019s own limit of time is no cancellation', async () => {
    const { server } = await start({ endpoints: { '*': [{ kind: 'silent', times: 'always' }] } });
    expect(await server.version(AbortSignal.timeout(20))).toMatchObject({
      ok: false,
      failure: {
        code: 'model_timeout',
        message: expect.stringMatching(/^no answer from http:.* within 1 s$/u),
      },
    });
  });

  test('abort() of the client ends all of its calls', async () => {
    const { scripted, server } = await start(faulty({ kind: 'silent', times: 'always' }));
    const answers = Promise.all([server.chat(request(), {}), server.chat(request({ stream: true }), {})]);
    await scripted.waitForRequest(2);
    server.abort();
    expect((await answers).map((outcome) => !outcome.ok && outcome.failure.code)).toEqual([
      'aborted',
      'aborted',
    ]);
  });

  test('a signal that was aborted before sends nothing', async () => {
    const { scripted, server } = await start(faulty());
    expect(await server.chat(request(), { signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      failure: { code: 'aborted' },
    });
    expect(scripted.requests).toEqual([]);
  });
});

describe('connections', () => {
  test('they are used again, after streams too', async () => {
    const { scripted, server } = await start(faulty());
    const ports = new Set<number | undefined>();
    for (const stream of [false, true, false, true, false, true]) {
      await server.chat(request({ stream }), {});
      ports.add(scripted.requests.at(-1)?.remotePort);
    }
    // A second one is opened if the end of a stream comes late on a busy machine.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  test('a server that was restarted is found again', async () => {
    const { scripted, server } = await start(faulty());
    await server.chat(request(), {});
    await scripted.close();
    await start(faulty(), scripted.port);
    expect(await server.chat(request(), {})).toMatchObject({ ok: true });
  });
});
