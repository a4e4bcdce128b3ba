import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { startRecordingProxy } from '../../sidecar/evaluate/recording-proxy.ts';
import { CleanupStack } from '../../sidecar/system/cleanup-stack.ts';
import { say, testModel } from '../support/scripted-model.ts';

const opened = new CleanupStack();
afterEach(() => opened.close());

async function proxyTo(url: string) {
  const proxy = await startRecordingProxy(url);
  opened.add(() => proxy.close());
  return proxy;
}

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', body: JSON.stringify(body) });

/** Answers like `/v1/chat/completions`; keeps what it was asked. */
async function openAiServer() {
  const asked: { stream_options?: object }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      asked.push(JSON.parse(text) as object);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"delta":{"content":"Hé"}}]}\n\nda');
      response.write('ta: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7}}\n\n');
      response.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.add(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('the recording proxy', () => {
  test.each([true, false])('counts what Ollama says of a chat, streamed: %s', async (stream) => {
    const model = await testModel({
      models: [{ name: 'm' }],
      turns: [{ ...say('Hello.'), tokensIn: 40, tokensOut: 5 }],
    });
    const proxy = await proxyTo(model.url);
    const body = { model: 'm', stream, messages: [{ role: 'user', content: 'Hi' }] };
    // The first call would tell of the model's loading.
    await post(`${model.url}/api/chat`, body);
    const direct = await (await post(`${model.url}/api/chat`, body)).text();
    const passed = await (await post(`${proxy.url}/api/chat`, body)).text();
    const withoutTime = (text: string): string => text.replaceAll(/"created_at":"[^"]*"/gu, '');
    expect(withoutTime(passed)).toBe(withoutTime(direct));
    expect(proxy.totals).toMatchObject({ calls: 1, tokensIn: 40, tokensOut: 5 });
    expect(await (await fetch(`${proxy.url}/api/version`)).json()).toHaveProperty('version');
    expect(proxy.totals.calls).toBe(1);
  });

  test('asks a stream of /v1 for its usage and keeps that part back', async () => {
    const server = await openAiServer();
    const proxy = await proxyTo(server.url);
    const text = await (await post(`${proxy.url}/v1/chat/completions`, { stream: true })).text();
    expect(server.asked).toEqual([{ stream: true, stream_options: { include_usage: true } }]);
    expect(text).toBe('data: {"choices":[{"delta":{"content":"Hé"}}]}\n\n\ndata: [DONE]\n\n');
    expect(proxy.totals).toMatchObject({ calls: 1, tokensIn: 11, tokensOut: 7 });
  });

  test('a program that asked for the usage gets it', async () => {
    const proxy = await proxyTo((await openAiServer()).url);
    const body = { stream: true, stream_options: { include_usage: true } };
    expect(await (await post(`${proxy.url}/v1/chat/completions`, body)).text()).toContain('prompt_tokens');
  });

  test('a server that is not there is a 502 that says so', async () => {
    const proxy = await proxyTo('http://127.0.0.1:9');
    const answer = await post(`${proxy.url}/api/chat`, {});
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain('cannot reach');
  });
});
