/** Reports of ended tasks to a receiver over real HTTP: signed, tried again, not lost by a restart. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { testHub } from '../hub-fixture.ts';
import type { NewDatabase, StartHub } from './fixture.ts';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

/** A receiver that answers with `status`, and what it got. */
async function receiver(port = 0) {
  const got: { headers: IncomingHttpHeaders; body: string }[] = [];
  const answers = { status: 204 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      got.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(answers.status).end();
    });
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  closing.push(close);
  const { port: at } = server.address() as AddressInfo;
  return { got, answers, close, port: at, url: `http://127.0.0.1:${at}/ended` };
}

export function describeWebhooks(startHub: StartHub, newDatabase: NewDatabase): void {
  describe('webhooks', () => {
    test('the end of a task is reported once, signed as the secret says; other changes are not', async () => {
      const { got, url } = await receiver();
      const hub = await startHub({ webhooks: [{ url, secret: 'whsec_YS1rZXk=' }] });
      const { worker, assigned, id } = await hub.running({ description: 'Fix the sum' });
      await worker.finish(assigned);
      await eventually(() => got.length > 0, 'a report');
      const [{ headers, body } = { headers: {}, body: '' }] = got;
      expect(JSON.parse(body)).toMatchObject({
        type: 'task.ended',
        data: { task_id: id, title: 'Fix the sum', status: 'success', verification_status: 'verified' },
      });
      const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
      expect(headers['webhook-signature']).toBe(
        `v1,${createHmac('sha256', 'a-key').update(signed).digest('base64')}`,
      );
      const cancelled = await hub.submit();
      await hub.call('POST', `/api/tasks/${cancelled}/cancel`);
      await eventually(() => got.length === 2, 'the report of a cancelled task');
      expect(got.map((one) => JSON.parse(one.body).data.status)).toEqual(['success', 'cancelled']);
    });

    test('a report that is refused is tried again, also by a hub that was restarted', async () => {
      const first = await receiver();
      first.answers.status = 500;
      const clock = new ManualClock();
      const database = await newDatabase();
      const webhooks = [{ url: first.url }];
      const hub = await testHub({ database, clock, webhooks });
      const id = await hub.submit();
      await hub.call('POST', `/api/tasks/${id}/cancel`);
      await eventually(() => first.got.length === 1, 'the first try');
      await eventually(
        () => first.got.length === 2,
        'the second try',
        () => clock.advance(1_000),
      );
      await hub.hub.close();
      first.answers.status = 200;
      await testHub({ database, clock, webhooks });
      await eventually(
        () => first.got.length === 3,
        'the try of the next hub',
        () => clock.advance(5_000),
      );
      expect(new Set(first.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(new Set(first.got.map(({ headers }) => headers['webhook-timestamp'])).size).toBeGreaterThan(1);
      expect(first.got[0]?.headers['webhook-signature']).toBeUndefined();
      await clock.advance(3_600_000);
      expect(first.got).toHaveLength(3);
    });
  });
}
