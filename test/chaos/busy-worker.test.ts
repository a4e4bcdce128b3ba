import { describe, expect, test } from '@jest/globals';
import { testHub } from '../hub/hub-fixture.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('a worker that refuses a task because it is full', () => {
  test('is offered it again after a while, without an attempt being used up', async () => {
    const clock = new ManualClock();
    const hub = await testHub({ clock });
    const worker = await hub.worker();
    const id = await hub.submit();
    await worker.next('task_assign', { task_id: id });
    worker.say('task_failed', { task_id: id, generation: 1, error: 'worker_busy: full' });
    await worker.next('task_ack', { status: 'retried' });
    const again = () => worker.heard.filter(({ type }) => type === 'task_assign').length === 2;
    await eventually(again, 'the second offer', () => clock.advance(500));
    expect((await hub.get(`/api/tasks/${id}`)).body).toMatchObject({ failures: 0, generation: 2 });
  });
});
