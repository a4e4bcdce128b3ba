/** A proxy that serves a hub below a path, as `location /sidecar/ { proxy_pass …; }` does; other paths belong to another site. */
import { afterEach } from '@jest/globals';
import { createServer, request } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

/** The hub's address below `/sidecar` of another port. */
export async function belowPath(hubUrl: string): Promise<string> {
  const server = createServer((incoming, answer) => {
    const [, path] = /^\/sidecar(\/.*)$/u.exec(incoming.url ?? '') ?? [];
    if (path === undefined) {
      answer.writeHead(404, { 'content-type': 'text/html' }).end('<html>another site</html>');
      return;
    }
    const { method, headers } = incoming;
    const onward = request(new URL(path, hubUrl), { method, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  open.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/sidecar`;
}
