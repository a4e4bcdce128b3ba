/** MCP servers over HTTP: an honest one, and ones that are slow, too talkative, broken or elsewhere. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { server, withServers } from './server-fixture.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Call {
  id?: number;
  method: string;
  params: { protocolVersion: string; arguments: Record<string, unknown> };
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server whose tool `do` answers as told. */
async function listen(toCall: Answer): Promise<string> {
  const http = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => answer(request, response, body, toCall));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

function answer(request: IncomingMessage, response: ServerResponse, body: string, toCall: Answer): void {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = JSON.parse(body) as Call;
  if (id === undefined) return void response.writeHead(202).end();
  const send = (result: object) => sendResult(response, id, result);
  if (method === 'initialize')
    send({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 't', version: '1' },
    });
  else if (method === 'tools/list') send({ tools: [{ name: 'do', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') toCall(Object.assign(request, { id }), response);
}

function sendResult(response: ServerResponse, id: number, result: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
const idOf = (request: IncomingMessage): number => (request as IncomingMessage & { id: number }).id;
const text = (said: string) => ({ content: [{ type: 'text', text: said }] });
const over = (url: string, more: Partial<Parameters<typeof server>[0]> = {}) =>
  server({ name: 'web', command: undefined, url, ...more });

describe('a server over HTTP', () => {
  test('is asked with the headers that the operator gives', async () => {
    const url = await listen((request, response) =>
      sendResult(response, idOf(request), text(String(request.headers.authorization))),
    );
    await withServers([over(url, { headers: { Authorization: 'Bearer abc' } })], async ({ call, names }) => {
      expect(names).toEqual(['web_do']);
      expect(await call('web_do')).toMatchObject({ isError: false, output: 'Bearer abc' });
    });
  });

  test.each<[string, Answer, string, number?]>([
    ['never answers', () => undefined, 'did not answer do within 2000 ms', 2_000],
    ['breaks off', (request) => request.socket.destroy(), 'The MCP server web failed: '],
    ['fails', (_request, response) => void response.writeHead(500).end('out of order'), 'out of order'],
    [
      'sends the task elsewhere',
      (_request, response) => void response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
      'The MCP server web failed: ',
    ],
    [
      'answers with too much',
      (request, response) => sendResult(response, idOf(request), text('x'.repeat(10 * 1024 * 1024))),
      'sent more than 8 MiB in one answer',
    ],
    [
      'answers with another shape',
      (request, response) => sendResult(response, idOf(request), { content: [{ type: 'text' }] }),
      'answered with what is no such answer: content.0',
    ],
  ])('that %s gives an error that says so', async (_what, toCall, words, timeoutMs = 20_000) => {
    const url = await listen(toCall);
    await withServers([over(url, { timeoutMs })], async ({ call }) => {
      const { output, isError } = await call('web_do');
      expect(output).toContain(words);
      expect(isError).toBe(true);
    });
  });

  test('that is not there is told of', async () => {
    await withServers([over('http://127.0.0.1:9/mcp')], ({ notes }) => {
      expect(notes).toEqual([expect.stringContaining('The MCP server web failed: ')]);
      return Promise.resolve();
    });
  });
});
