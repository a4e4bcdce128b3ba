/** The hub's client against a hub below a path, and against servers that are no hub. */
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import type { HubError } from '../../../sidecar/hub/client/hub-error.ts';
import { createHubClient } from '../../../sidecar/hub/client/hub-client.ts';
import { testHub } from '../hub-fixture.ts';
import { belowPath } from '../../support/hub-below-path.ts';

test.each(['', '/'])(
  'a hub below a path of its host is asked below that path (%j at its end)',
  async (end) => {
    const { hub } = await testHub();
    const url = (await belowPath(hub.url)) + end;
    const client = createHubClient({ url, token: hub.tokens.admin });
    const { task_id: id } = await client.submit({ description: 'Below' });
    const stop = new AbortController();
    for await (const event of client.events(id, { signal: stop.signal })) {
      expect(event.kind).toBe('task');
      stop.abort();
    }
  },
);

test('events are followed over a restart of the hub behind a proxy', async () => {
  const badGateway = { status: 502, text: '<html>Bad Gateway</html>' };
  const answers = [eventAnswer(1), badGateway, badGateway, badGateway, eventAnswer(2)];
  const outages: string[] = [];
  const server = createServer((_request, response) => {
    const { status, text } = answers.shift() ?? { status: 404, text: '' };
    response.writeHead(status, { 'content-type': 'text/event-stream' }).end(text);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const client = createHubClient({ url: `http://127.0.0.1:${port}`, token: 't' });
  const stop = new AbortController();
  const ids: number[] = [];
  const onOutage = ({ problem }: HubError) => outages.push(problem);
  for await (const { id } of client.events('task-1', { signal: stop.signal, onOutage })) {
    ids.push(id);
    if (ids.length === 2) stop.abort();
  }
  expect(ids).toEqual([1, 2]);
  expect(outages).toEqual([expect.stringMatching(/does not answer \(HTTP 502\)/u)]);
  await new Promise((closed) => server.close(closed));
});

const eventAnswer = (id: number) => ({
  status: 200,
  text: `data: ${JSON.stringify({ id, kind: 'task', at: 1, body: {} })}\n\n`,
});

test('an answer that switches to another protocol is an error', async () => {
  const answer = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n';
  const server = createTcpServer((socket) =>
    socket.on('error', () => socket.destroy()).once('data', () => socket.end(answer)),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const client = createHubClient({ url: `http://127.0.0.1:${port}`, token: 't' });
  await expect(client.stats()).rejects.toThrow(/the connection ended without an answer/u);
  await new Promise((closed) => server.close(closed));
});

test('an answer without an end is not kept: the call fails once it is too large', async () => {
  const piece = Buffer.alloc(1024 * 1024, ' ');
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const goOn = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', goOn);
    goOn();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    const { port } = server.address() as AddressInfo;
    const client = createHubClient({ url: `http://127.0.0.1:${port}`, token: 't' });
    await expect(client.stats()).rejects.toThrow(/larger than 64 MiB/u);
  } finally {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});
