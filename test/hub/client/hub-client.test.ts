/** The hub's client against a hub below a path, and against servers that are no hub. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
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
