import { afterEach, describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { createHttpCall, createSocketPool } from '../../sidecar/model/http-fetch.ts';
import { createOllamaServer } from '../../sidecar/model/ollama-server.ts';
import { scaled } from '../support/scale.ts';
import { startScriptedModel } from '../../sidecar/model/scripted/server.ts';

const running: (Server | TcpServer)[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
async function listen(server: Server | TcpServer): Promise<string> {
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const serve = async (listener: RequestListener) => await listen(createServer(listener));
const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }], stream: true };
const done = { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' };

test('a stream reads the same however the network cuts it', async () => {
  let bytes = Buffer.alloc(0);
  let cuts: number[] = [];
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    const places = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort(
      (a, b) => a - b,
    );
    const send = (index: number): void => {
      if (index + 1 >= places.length) response.end();
      else response.write(bytes.subarray(places[index], places[index + 1]), () => send(index + 1));
    };
    send(0);
  });
  const server = createOllamaServer({ baseUrl: url });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary', minLength: 1 }), { maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      async (words, places) => {
        const lines = [...words.map((content) => ({ message: { content }, done: false })), done];
        bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
        cuts = places;
        expect(await server.chat(chat, {})).toMatchObject({
          ok: true,
          value: { message: { content: words.join('') } },
        });
      },
    ),
    { numRuns: scaled({ quick: 60, full: 300 }) },
  );
});

test('an abort as the last bytes arrive ends the call and nothing else', async () => {
  const url = await serve((request, response) => {
    request.resume();
    request.once('end', () => {
      const body = '{"done":true}\n';
      response.writeHead(200, { 'content-length': body.length });
      response.end(body);
    });
  });
  const pool = createSocketPool();
  for (let round = 0; round < 20; round += 1) {
    const controller = new AbortController();
    const call = createHttpCall({ pool, signal: controller.signal, maxReplyBytes: 1000 });
    const response = await call.fetch(url, { method: 'POST', body: '{}' });
    const reader = response.body!.getReader();
    // The answer has ended, and its socket is not yet free for the next call.
    await reader.read();
    controller.abort();
    await call.finish(false);
  }
  // An error of a socket that nobody hears would have ended the process by now.
  await new Promise((resolve) => setImmediate(resolve));
  pool.destroy();
});

test('the last line needs no newline', async () => {
  const url = await serve((_request, response) => response.end(JSON.stringify(done)));
  expect(await createOllamaServer({ baseUrl: url }).chat(chat, {})).toMatchObject({ ok: true });
});

test('arguments come as an object or as text, and what is missing gets a default', async () => {
  const url = await serve((_request, response) => {
    const calls = [{ id: 'c1', function: { name: 'a', arguments: '{"x":1}' } }, { function: { name: 'b' } }];
    response.end(JSON.stringify({ message: { content: null, tool_calls: calls }, done: true }));
  });
  expect(await createOllamaServer({ baseUrl: url }).chat({ ...chat, stream: false }, {})).toEqual({
    ok: true,
    value: {
      message: {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'c1', function: { name: 'a', arguments: '{"x":1}' } },
          { function: { name: 'b', arguments: {} } },
        ],
      },
      doneReason: '',
      tokensIn: 0,
      tokensOut: 0,
      totalNs: 0,
      loadNs: 0,
      promptEvalNs: 0,
      evalNs: 0,
    },
  });
});

test.each(['[]', '"text"', '42', 'null', '{"message":{"content":5},"done":true}'])(
  '%s is garbage',
  async (body) => {
    const url = await serve((_request, response) => response.end(body));
    const server = createOllamaServer({ baseUrl: url });
    for (const stream of [true, false]) {
      expect(await server.chat({ ...chat, stream }, {})).toMatchObject({
        ok: false,
        failure: { code: 'model_garbage' },
      });
    }
  },
);

test('an error in a 200 without streaming is an error', async () => {
  const url = await serve((_request, response) => response.end('{"error":"out of memory"}'));
  const outcome = await createOllamaServer({ baseUrl: url }).chat({ ...chat, stream: false }, {});
  expect(outcome).toMatchObject({ ok: false, failure: { code: 'model_out_of_memory' } });
  expect(!outcome.ok && outcome.failure.message).toContain('out of memory');
});

test('a long error body is cut to a snippet', async () => {
  const url = await serve((_request, response) => response.writeHead(500).end('x'.repeat(1_000_000)));
  const outcome = await createOllamaServer({ baseUrl: url }).chat(chat, {});
  expect(!outcome.ok && outcome.failure.message.length).toBeLessThan(400);
});

test('an idle connection that the server has closed meanwhile costs nothing', async () => {
  let requests = 0;
  const body = JSON.stringify(done);
  const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const url = await listen(
    createTcpServer((socket) => {
      let onThisConnection = 0;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        requests += 1;
        onThisConnection += 1;
        if (onThisConnection > 1) socket.resetAndDestroy();
        else socket.write(answer);
      });
    }),
  );
  const server = createOllamaServer({ baseUrl: url });
  for (let call = 0; call < 3; call += 1) {
    expect(await server.chat({ ...chat, stream: false }, {})).toMatchObject({ ok: true });
  }
  expect(requests).toBeGreaterThan(3);
  server.abort();
});

test('a slow reader slows the server down', async () => {
  const line = Buffer.from(`${JSON.stringify({ message: { content: 'x'.repeat(60_000) }, done: false })}\n`);
  const totalBytes = 600 * line.length;
  let sentBytes = 0;
  const url = await serve((_request, response) => {
    const pump = (): void => {
      while (sentBytes < totalBytes) {
        sentBytes += line.length;
        if (!response.write(line)) return void response.once('drain', pump);
      }
      response.end();
    };
    pump();
  });
  const pool = createSocketPool();
  const call = createHttpCall({ pool, signal: new AbortController().signal, maxReplyBytes: 1e6 });
  const reader = (await call.fetch(url)).body!.getReader();
  let readBytes = 0;
  let largestLeadBytes = 0;
  for (;;) {
    const piece = await reader.read();
    if (piece.done) break;
    readBytes += piece.value.length;
    // The server runs in between, as far as it can get.
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    largestLeadBytes = Math.max(largestLeadBytes, sentBytes - readBytes);
  }
  expect(readBytes).toBe(totalBytes);
  expect(largestLeadBytes).toBeLessThan(totalBytes / 3);
  pool.destroy();
});

describe('addresses', () => {
  test('a path before the API is kept', async () => {
    const paths: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url);
      response.end(JSON.stringify(done));
    });
    await createOllamaServer({ baseUrl: `${url}/ollama/` }).chat(chat, {});
    expect(paths).toEqual(['/ollama/api/chat']);
  });

  test('a password is sent but never shown', async () => {
    const seen: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(200).end('garbage');
    });
    const server = createOllamaServer({ baseUrl: url.replace('//', '//me:secret@') });
    const outcome = await server.chat(chat, {});
    expect(seen).toEqual([`Basic ${Buffer.from('me:secret').toString('base64')}`]);
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });

  test.each(['not a url', 'http://127.0.0.1:1', 'http://no-such-host.invalid'])(
    '%s is unreachable',
    async (baseUrl) => {
      const outcome = await createOllamaServer({ baseUrl }).chat(chat, {});
      expect(outcome).toMatchObject({ ok: false, failure: { code: 'model_unreachable' } });
      expect(!outcome.ok && outcome.failure.message).toContain(baseUrl);
    },
  );
});

test('a user and a password in the address go into a header and into no message', async () => {
  const asked: (string | undefined)[] = [];
  const url = await serve((request, response) => {
    asked.push(request.headers.authorization);
    response.writeHead(401).end('no');
  });
  const outcome = await createOllamaServer({ baseUrl: url.replace('//', '//me:p%40ss@') }).version();
  expect(asked).toEqual([`Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
  expect(outcome).toMatchObject({ ok: false, failure: { code: 'model_request_refused', httpStatus: 401 } });
  expect(JSON.stringify(outcome)).not.toMatch(/p@ss|p%40ss/u);
});

test('a redirect is not followed, and the message names the address', async () => {
  const url = await serve((_request, response) =>
    response.writeHead(308, { location: 'https://gpu.example/' }).end(),
  );
  expect(await createOllamaServer({ baseUrl: url }).version()).toMatchObject({
    ok: false,
    failure: { message: expect.stringMatching(/ollama\.url.*HTTP 308.*https:\/\/gpu\.example\//u) },
  });
});

test.each(['later', 'together', 'never'] as const)(
  'an answer whose stream ends %s is given, and its connection used again if it ends',
  async (streamEnd) => {
    const model = await startScriptedModel({
      scenario: { streamEnd, turns: [{ reply: { content: 'hello' }, repeat: 'always' }] },
    });
    const server = createOllamaServer({ baseUrl: model.url });
    const ask = async () =>
      expect(await server.chat({ ...chat, model: 'scripted:latest' }, {})).toMatchObject({ ok: true });
    try {
      await ask();
      await ask();
      const ports = new Set(model.requests.map(({ remotePort }) => remotePort));
      expect([streamEnd, ports.size]).toEqual([streamEnd, streamEnd === 'never' ? 2 : 1]);
    } finally {
      await model.close();
    }
  },
);
