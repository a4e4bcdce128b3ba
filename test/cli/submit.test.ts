/** A submission that meets a bad line is one task. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createHubClient } from '../../sidecar/hub-client/hub-client.ts';
import { testHub } from '../hub/hub-fixture.ts';
import { say } from '../support/scripted-model.ts';
import { commandLine, jsonLines } from './command-line.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Passes requests on; `answer` decides what becomes of each answer. */
async function proxy(
  target: string,
  answer: (from: IncomingMessage, to: ServerResponse, count: number) => void,
): Promise<string> {
  let count = 0;
  const server: Server = createServer((incoming, response) => {
    const { method, headers, url = '/' } = incoming;
    const passed = request(new URL(url, target), { method, headers }, (from) => {
      count += 1;
      answer(from, response, count);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const whole = (from: IncomingMessage, to: ServerResponse) => {
  to.writeHead(from.statusCode ?? 500, from.headers);
  from.pipe(to);
};
const cutBefore = (from: IncomingMessage, to: ServerResponse) => {
  from.resume();
  to.destroy();
};
const cutInTheMiddle = (from: IncomingMessage, to: ServerResponse) => {
  from.resume();
  to.writeHead(201, { 'content-length': '1000', 'content-type': 'application/json' });
  to.write('{"task_id":', () => to.destroy());
};

describe('a submission', () => {
  test.each([
    ['before the answer', cutBefore],
    ['in the middle of the answer', cutInTheMiddle],
  ])('whose connection is cut %s is sent again and is one task', async (_when, cut) => {
    const hub = await testHub();
    const url = await proxy(hub.hub.url, (from, to, count) => (count === 1 ? cut : whole)(from, to));
    const client = createHubClient({ url, token: hub.hub.tokens.admin });
    const task = await client.submit({ description: 'once' });
    const { tasks } = (await hub.get('/api/tasks')).body;
    expect(tasks).toEqual([expect.objectContaining({ task_id: task.task_id })]);
  });

  test('to a hub that was never there is given up at once', async () => {
    const client = createHubClient({ url: 'http://127.0.0.1:1', token: 'x' });
    await expect(client.submit({ description: 'x' })).rejects.toMatchObject({ code: 'hub_unreachable' });
  });

  test('that is answered by something else says so', async () => {
    const hub = await testHub();
    const url = await proxy(hub.hub.url, (from, to) => {
      from.resume();
      to.end('<html>Please sign in</html>');
    });
    const client = createHubClient({ url, token: hub.hub.tokens.admin });
    await expect(client.submit({ description: 'x' })).rejects.toMatchObject({ code: 'hub_error' });
  });

  test('with the same --idempotency-key is the same task; for another task the key is refused', async () => {
    const cli = await commandLine({ turns: [say('fine')] });
    closing.push(() => cli.close());
    const hub = cli.start(['hub']);
    await hub.until(/admin token in/u);
    const submit = async (what: string) =>
      cli.run(['submit', what, '--simple', '--idempotency-key', 'run 17']);
    const ids = [await submit('x'), await submit('x')].map(({ stdout }) => jsonLines(stdout)[0]?.task_id);
    expect(ids[0]).toMatch(/^task-/u);
    expect(ids[1]).toBe(ids[0]);
    expect(await submit('y')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/idempotency key was used for another submission/u),
    });
  });
});
