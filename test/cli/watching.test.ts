/** Following a task over a line that dies without a word. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createHubClient } from '../../sidecar/hub-client/hub-client.ts';
import { eventually } from '../support/eventually.ts';
import { hastyClock } from '../support/hasty-clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { quiet } from '../support/until.ts';

/** More than a broken line is tried again. */
const CUTS = 8;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A hub of which only the stream of events is there. */
async function streamingHub(answer: (response: ServerResponse, count: number) => void): Promise<string> {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    answer(response, count);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const event = (id: number) => `data: ${JSON.stringify({ id, kind: 'task', at: 0, body: {} })}\n\n`;

describe('a stream of events', () => {
  test('that falls silent without being closed is opened anew where it stopped', async () => {
    const url = await streamingHub((response, count) => response.write(event(count)));
    const client = createHubClient({ url, token: 'x', streamSilenceMs: 50, clock: hastyClock });
    const stop = new AbortController();
    const ids: number[] = [];
    for await (const { id } of client.events('t', { signal: stop.signal })) {
      ids.push(id);
      if (id === 2) stop.abort();
    }
    expect(ids).toEqual([1, 2]);
  });

  test('of a quiet task goes on, however often the line is cut', async () => {
    const clock = new ManualClock();
    const responses: ServerResponse[] = [];
    const url = await streamingHub((response, count) => {
      response.write(count <= CUTS ? ':\n\n' : event(1));
      responses.push(response);
    });
    const client = createHubClient({ url, token: 'x', clock });
    const next = client.events('t', { signal: new AbortController().signal }).next();
    for (let cut = 1; cut <= CUTS; cut += 1) {
      await eventually(
        () => responses.length === cut,
        'the stream',
        () => clock.advance(100),
      );
      await quiet();
      // The hub's signs of life, and then the line is gone.
      await clock.advance(15_000);
      responses.at(-1)?.write(':\n\n');
      await quiet();
      responses.at(-1)?.destroy();
    }
    await eventually(
      () => responses.length > CUTS,
      'the last stream',
      () => clock.advance(100),
    );
    expect((await next).value).toMatchObject({ id: 1 });
  });

  test('that never begins, or breaks each time, ends with a message', async () => {
    const url = await streamingHub((response, count) => {
      if (count % 2 === 0) response.writeHead(200).write(':\n\n', () => response.destroy());
    });
    const client = createHubClient({ url, token: 'x', streamSilenceMs: 20, clock: hastyClock });
    const events = client.events('t', { signal: new AbortController().signal });
    await expect(events.next()).rejects.toMatchObject({
      code: 'hub_unreachable',
      message: expect.stringMatching(/does not answer \((no data for 0\.02 s|\w+)\)/u),
    });
  });
});
