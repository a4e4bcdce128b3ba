/** Tokens: listed without their secrets, revoked, expired; what uses one ends with it. */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.ts';
import { eventually } from '../../support/eventually.ts';
import type { Json, TestHub } from '../hub-fixture.ts';
import { readStream } from '../stream-reader.ts';
import { status } from './fixture.ts';
import type { StartHub } from './fixture.ts';

const DAY_MS = 86_400_000;

const make = async (hub: TestHub, body: object): Promise<Json> =>
  (await hub.call('POST', '/api/tokens', body)).body;
const as = (token: string) => ({ authorization: `Bearer ${token}` });
const listed = async (hub: TestHub): Promise<Json[]> => (await hub.get('/api/tokens')).body.tokens;
/** An open stream that was made with this token; `ended` says whether the hub has ended it. */
async function openStream(hub: TestHub, token: string) {
  const response = await fetch(`${hub.hub.url}/api/events`, { headers: as(token) });
  let ended = false;
  const read = async () => {
    for await (const _chunk of response.body ?? []);
  };
  void read()
    .catch(() => undefined)
    .finally(() => (ended = true));
  return { ended: () => ended };
}

export function describeTokens(startHub: StartHub): void {
  describe('tokens', () => {
    test('are listed with name, role, use and end, and never with the secret or its hash', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock });
      const made = await make(hub, { role: 'submitter', name: 'ci', expires_in_days: 30 });
      const madeAt = clock.now();
      await make(hub, { role: 'worker', agent_id: 'gpu-box' });
      const answer = await hub.get('/api/tokens');
      expect(answer.body.tokens).toEqual([
        {
          id: made.id,
          name: 'ci',
          role: 'submitter',
          agent_id: null,
          created_at: madeAt,
          last_used_at: null,
          expires_at: madeAt + 30 * DAY_MS,
        },
        expect.objectContaining({ name: 'gpu-box', role: 'worker', agent_id: 'gpu-box', expires_at: null }),
      ]);
      expect(JSON.stringify(answer.body)).not.toMatch(/osc_|[0-9a-f]{60}/u);
      const use = () => hub.call('GET', '/api/stats', undefined, as(made.token));
      const lastUsed = async () => (await listed(hub))[0].last_used_at;
      await use();
      expect(await lastUsed()).toBe(madeAt);
      await clock.advance(30_000);
      await use();
      expect(await lastUsed()).toBe(madeAt);
      await clock.advance(31_000);
      await use();
      expect(await lastUsed()).toBe(madeAt + 61_000);
    });

    test('a revoked one is refused and ends its streams and connections; the name of who submitted stays', async () => {
      const hub = await startHub();
      const submitter = await make(hub, { role: 'submitter', name: 'ci' });
      const { body: task } = await hub.call('POST', '/api/tasks', { description: 'x' }, as(submitter.token));
      const other = await make(hub, { role: 'viewer', name: 'other' });
      const streams = [await openStream(hub, submitter.token), await openStream(hub, other.token)];
      const bound = await make(hub, { role: 'worker', agent_id: 'worker-1' });
      const worker = await hub.worker({ token: bound.token });
      for (const { id } of [submitter, bound]) {
        const revoked = await hub.call('DELETE', `/api/tokens/${id}`);
        expect(revoked).toMatchObject({ status: 200, body: { id } });
        expect((await hub.call('DELETE', `/api/tokens/${id}`)).body.code).toBe('hub_token_not_found');
      }
      await eventually(() => streams[0]?.ended() === true, 'the end of the stream');
      expect(streams[1]?.ended()).toBe(false);
      expect(await worker.next('error')).toMatchObject({ error: 'invalid_token' });
      expect((await worker.whenClosed()).code).toBe(1008);
      expect((await hub.call('GET', '/api/stats', undefined, as(submitter.token))).status).toBe(401);
      expect((await listed(hub)).map(({ name }) => name)).toEqual(['other']);
      expect(await status(hub, task.task_id)).toMatchObject({ submitted_by: 'ci' });
      expect((await hub.get('/api/tasks')).body.tasks).toMatchObject([{ submitted_by: 'ci' }]);
    });

    test('an expired one is refused and ends its streams and connections', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock });
      const viewer = await make(hub, { role: 'viewer', name: 'screen', expires_in_days: 1 });
      const stream = await openStream(hub, viewer.token);
      await clock.advance(DAY_MS - 1_000);
      expect(stream.ended()).toBe(false);
      expect((await hub.call('GET', '/api/stats', undefined, as(viewer.token))).status).toBe(200);
      await clock.advance(2_000);
      await eventually(() => stream.ended(), 'the end of the stream');
      expect((await hub.call('GET', '/api/stats', undefined, as(viewer.token))).status).toBe(401);
      expect(await listed(hub)).toMatchObject([{ name: 'screen' }]);
      expect((await hub.call('POST', '/api/tokens', { role: 'viewer', expires_in_days: 0 })).status).toBe(
        400,
      );
    });

    test('a stream of a configured token has no end', async () => {
      const hub = await startHub();
      const stream = readStream(hub, '/api/events');
      const made = await make(hub, { role: 'viewer', name: 'v' });
      await hub.call('DELETE', `/api/tokens/${made.id}`);
      const id = await hub.submit();
      await stream.until((event) => event.task_id === id);
      stream.close();
    });
  });
}
