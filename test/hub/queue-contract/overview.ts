/** What operators look at: sums by hour, day and model, and why tasks wait. */
import { describe, expect, test } from '@jest/globals';
import type { Json, TestHub } from '../hub-fixture.ts';
import type { SimulatedWorker } from '../simulated-worker.ts';
import type { StartHub } from './fixture.ts';

const overview = async (hub: TestHub): Promise<Json> => (await hub.get('/api/overview?days=2')).body;

/** A task that ends so. */
async function ended(hub: TestHub, worker: SimulatedWorker, result: Record<string, unknown>) {
  await hub.submit();
  await worker.finish(await worker.accept(), result);
}

const modelCall = (call: Record<string, unknown>) => ({
  event_type: 'status',
  text: 'asked',
  model: 'qwen3:8b',
  model_call: { id: '1', phase: 'finished', kind: 'answer', ...call },
});

export function describeOverview(startHub: StartHub): void {
  describe('the overview', () => {
    test('counts endings, solved and falsely told ones by model, and what the model server worked', async () => {
      const hub = await startHub();
      const worker = await hub.worker();
      await ended(hub, worker, {});
      await ended(hub, worker, { verification_status: 'failed' });
      await ended(hub, worker, {
        verification_status: 'failed',
        termination_reason: 'stall',
        status: 'partial',
      });
      const id = await hub.submit();
      const assigned = await worker.accept();
      worker.event(id, modelCall({ wait_ms: 9, load_ms: 100, read_ms: 20, write_ms: 3 }));
      worker.event(id, modelCall({ phase: 'started', write_ms: 1e6 }));
      worker.event(id, modelCall({ write_ms: -5, read_ms: 1e15 }));
      worker.fail(assigned, 'invalid_task: no description');
      await worker.next('task_ack', { task_id: id });
      const { hours, days, models, waiting } = await overview(hub);
      const counts = { verified: 1, false_success: 1, partial: 1, failed: 1, unverified: 0, cancelled: 0 };
      expect(hours).toMatchObject([counts]);
      expect(days).toMatchObject([{ tasks: 4, tokens_in: 3600, tokens_out: 1020, gpu_ms: 86_400_123 }]);
      expect(models).toMatchObject([
        { model: 'qwen3:8b', verified: 1, false_success: 1, partial: 1, calls: 2, gpu_ms: 86_400_123 },
        { model: '', failed: 1 },
      ]);
      expect(waiting).toEqual([]);
      const { tasks } = (await hub.get('/api/tasks?status=success,partial')).body;
      expect(tasks.map((task: Json) => task.not_done)).toEqual([true, false, false]);
    });

    test('says how many tasks wait for what, those with the same needs together', async () => {
      const hub = await startHub();
      await hub.worker({ labels: ['cpu'], models: ['small:1b'] });
      const first = await hub.submit({ labels: ['gpu'], model: 'qwen3:8b' });
      await hub.submit({ labels: ['gpu'], model: 'qwen3:8b' });
      await hub.submit({ not_before: Date.now() + 3_600_000 });
      const { waiting } = await overview(hub);
      expect(waiting).toMatchObject([
        {
          count: 2,
          reason: 'a worker with the labels gpu and with the model qwen3:8b: none is connected',
          oldest_task_id: first,
          labels: ['gpu'],
          model: 'qwen3:8b',
        },
        { count: 1, reason: 'its start time' },
      ]);
    });
  });

  test('tasks are listed by repository, model and label', async () => {
    const hub = await startHub();
    const one = await hub.submit({ repo: '/srv/cart', model: 'qwen3:8b', labels: ['gpu', 'fast'] });
    await hub.submit({ repo: '/srv/c%rt', model: 'gpu', labels: [] });
    const listed = async (query: string) =>
      (await hub.get(`/api/tasks?${query}`)).body.tasks.map((task: Json) => task.task_id);
    for (const query of [
      'repo=CART',
      'model=qwen3:8b',
      'model=qwen3',
      'label=gpu',
      'label=gpu&model=qwen3',
    ]) {
      expect([query, await listed(query)]).toEqual([query, [one]]);
    }
    for (const query of ['repo=_', 'label=g%25u', 'label=gp', 'model=none', 'label="']) {
      expect([query, await listed(query)]).toEqual([query, []]);
    }
  });
}
