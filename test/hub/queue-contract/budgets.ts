/** What a hub, a submitter and a repository may use a day: what keeps tasks waiting, and what people read of it. */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.ts';
import type { TestHub } from '../hub-fixture.ts';
import type { SimulatedWorker } from '../simulated-worker.ts';
import { due, happened, status, wait } from './fixture.ts';
import type { NewDatabase, StartHub } from './fixture.ts';

/** Gives tasks as the holder of a token of this name. */
async function submitter(hub: TestHub, name: string) {
  const { token } = (await hub.call('POST', '/api/tokens', { role: 'submitter', name })).body;
  return async (fields: object): Promise<string> => {
    const body = { description: 'Fix the sum', ...fields };
    return (await hub.call('POST', '/api/tasks', body, { authorization: `Bearer ${token}` })).body.task_id;
  };
}

/** The next task, done with 1 540 tokens for $0.0021. */
async function work(worker: SimulatedWorker): Promise<unknown> {
  const assigned = await worker.accept();
  await worker.finish(assigned);
  return assigned.task_id;
}

const overview = async (hub: TestHub) => (await hub.get('/api/overview?days=1')).body;

export function describeBudgets(startHub: StartHub, newDatabase: NewDatabase): void {
  describe('daily budgets', () => {
    test('one that is used up keeps the tasks of its submitter waiting until 00:00 UTC, and nobody else’s', async () => {
      const clock = new ManualClock(Date.UTC(2026, 0, 1, 23, 58));
      const hub = await startHub({ clock, dailyBudgets: { submitter: { maxTokens: 1_500 } } });
      const ann = await submitter(hub, 'ann');
      const worker = await hub.worker();
      const first = await ann({});
      expect(await work(worker)).toBe(first);
      const waiting = await ann({ submitted_by: 'bob', priority: 9 });
      const other = await hub.submit();
      expect(await work(worker)).toBe(other);
      const reason =
        'its budget: the daily budget of the submitter ann (1 500 tokens) is used up; it resets at 00:00 UTC';
      expect(await status(hub, waiting)).toMatchObject({ status: 'queued', waiting_for: reason });
      const { budgets, waiting: groups } = await overview(hub);
      const used = { per: 'submitter', used_tokens: 1_540, max_tokens: 1_500, max_usd: null, used_up: true };
      const next = Date.UTC(2026, 0, 2);
      expect(budgets).toMatchObject([
        { ...used, name: 'admin', starts_again_at: next },
        { ...used, name: 'ann', used_usd: expect.closeTo(0.0021, 9) },
      ]);
      expect(groups).toMatchObject([{ count: 1, reason, budget: { per: 'submitter', name: 'ann' } }]);
      const done = work(worker);
      await wait(clock, 240_000, [worker]);
      expect(await due(clock, done)).toBe(waiting);
      expect((await overview(hub)).budgets).toMatchObject([{ name: 'ann', used_tokens: 1_540 }]);
    });

    test('of a repository count cost, whoever submits; tasks that wait for other things are told apart', async () => {
      const hub = await startHub({ dailyBudgets: { repository: { maxUsd: 0.002 } } });
      const ann = await submitter(hub, 'ann');
      const worker = await hub.worker();
      await ann({ repo: 'https://ann:secret@git.example/a.git' });
      await work(worker);
      const waiting = await hub.submit({ repo: 'https://git.example/a.git' });
      await hub.submit({ repo: '/srv/b' });
      await hub.submit();
      const begun = await worker.accept();
      expect(await status(hub, waiting)).toMatchObject({
        waiting_for: expect.stringContaining(
          'the daily budget of the repository https://git.example/a.git ($0.002)',
        ),
      });
      expect((await overview(hub)).waiting).toMatchObject([
        { count: 1, budget: { per: 'repository', name: 'https://git.example/a.git' } },
        { count: 1, reason: 'a worker with free capacity', budget: null },
      ]);
      worker.complete(begun);
      await work(worker);
      expect(await status(hub, waiting)).toMatchObject({ status: 'queued' });
    });

    test('that of the hub leaves a task to the worker that had begun it, and ends when it is raised', async () => {
      const database = await newDatabase();
      const hub = await startHub({ database, dailyBudgets: { hub: { maxTokens: 100 } } });
      const worker = await hub.worker();
      const begun = await hub.submit();
      await worker.accept();
      worker.event(begun, { event_type: 'status', text: 'asked', used: { tokens_in: 90, tokens_out: 10 } });
      await happened(hub, begun, 'asked');
      const waiting = await hub.submit();
      await worker.leave();
      const again = await hub.worker();
      expect(await work(again)).toBe(begun);
      expect(await status(hub, waiting)).toMatchObject({
        waiting_for: expect.stringContaining('the daily budget of the hub (100 tokens) is used up'),
      });
      await hub.close();
      const raised = await startHub({ database, dailyBudgets: { hub: { maxTokens: 1_000_000 } } });
      expect(await work(await raised.worker())).toBe(waiting);
    });
  });
}
