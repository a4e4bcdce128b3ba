/** The hub's client against servers that are no hub. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { createHubClient } from '../../sidecar/hub-client/hub-client.ts';

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
