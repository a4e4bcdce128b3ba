/** The hub's figures over real HTTP: what is counted, who may read it, what it never holds. */
import { describe, expect, test } from '@jest/globals';
import { testHub } from './hub-fixture.ts';
import type { TestHub } from './hub-fixture.ts';
import { readStream } from './stream-reader.ts';

async function metricsOf({ hub }: TestHub): Promise<string> {
  const headers = { authorization: `Bearer ${hub.tokens.admin}` };
  const response = await fetch(`${hub.url}/metrics`, { headers });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/u);
  return response.text();
}

/** The values of the hub's own figures by name and labels. */
async function figures(hub: TestHub): Promise<Record<string, number>> {
  const lines = (await metricsOf(hub)).split('\n').filter((line) => line.startsWith('sidecar_hub_'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value] = /^sidecar_hub_(\S+) (\S+)$/u.exec(line) ?? [];
      return [name, Number(value)];
    }),
  );
}

describe('/metrics of the hub', () => {
  test('counts tasks from submission to their endings, with how long the first assignment took', async () => {
    const hub = await testHub({ maxAttempts: 2, timings: { retryMinMs: 1, retryMaxMs: 1 } });
    expect(await figures(hub)).toMatchObject({
      'tasks{status="queued"}': 0,
      tasks_submitted_total: 0,
      'tasks_ended_total{ending="success"}': 0,
      workers_connected: 0,
      dead_letters: 0,
      database_up: 1,
    });
    for (let i = 0; i < 4; i += 1) await hub.submit({ priority: 10 - i });
    expect(await figures(hub)).toMatchObject({ 'tasks{status="queued"}': 4, tasks_submitted_total: 4 });

    const worker = await hub.worker({ capacity: 1 });
    const first = await worker.accept();
    expect(await figures(hub)).toMatchObject({
      'tasks{status="queued"}': 3,
      'tasks{status="running"}': 1,
      workers_connected: 1,
      workers_draining: 0,
      worker_capacity: 1,
    });
    worker.complete(first);
    worker.complete(await worker.accept(), { status: 'partial' });
    const third = await worker.accept();
    await hub.call('POST', `/api/tasks/${String(third.task_id)}/cancel`);
    await worker.next('task_cancelled');
    for (let attempt = 0; attempt < 2; attempt += 1) {
      worker.fail(await worker.accept(), 'model_error after 1 iterations: x');
      await worker.next('task_ack', { status: attempt === 0 ? 'retried' : 'dead_letter' });
    }
    expect(await figures(hub)).toMatchObject({
      'tasks{status="queued"}': 0,
      'tasks{status="assigned"}': 0,
      'tasks{status="running"}': 0,
      'tasks_ended_total{ending="success"}': 1,
      'tasks_ended_total{ending="partial"}': 1,
      'tasks_ended_total{ending="cancelled"}': 1,
      'tasks_ended_total{ending="dead_letter"}': 1,
      'tasks_returned_total{reason="retry"}': 1,
      'tasks_returned_total{reason="worker_lost"}': 0,
      assignments_total: 5,
      assignment_wait_seconds_count: 4,
      dead_letters: 1,
      'tokens_total{direction="in"}': 2_400,
      'tokens_total{direction="out"}': 680,
    });
    await worker.leave();
  });

  test('shows each worker: whether it is there and ready, how busy it is, its version, why it takes nothing', async () => {
    const hub = await testHub();
    const { worker } = await hub.running({}, { capacity: 2 });
    expect(await figures(hub)).toMatchObject({
      'worker_info{worker="worker-1",version="0.1.0"}': 1,
      'worker_up{worker="worker-1"}': 1,
      'worker_ready{worker="worker-1"}': 1,
      'worker_busy_places{worker="worker-1"}': 1,
      'worker_places{worker="worker-1"}': 2,
    });
    worker.say('worker_status', { not_ready: 'no Ollama answers' });
    await worker.ping();
    const reason = 'worker_not_ready_reason{worker="worker-1",reason="no';
    const unready = await metricsOf(hub);
    expect(unready).toContain(`sidecar_hub_${reason} Ollama answers"} 1`);
    expect(unready).toContain('sidecar_hub_worker_ready{worker="worker-1"} 0');
    expect(unready).toMatch(/^sidecar_build_info\{version="[\d.]+"\} 1$/mu);
    worker.say('worker_status', {});
    await worker.ping();
    expect(await metricsOf(hub)).not.toContain('worker_not_ready_reason{');
  });

  test('counts tasks that ask, and their open requests', async () => {
    const hub = await testHub();
    const { worker, id } = await hub.running();
    for (const approvalId of ['a', 'b'])
      worker.say('approval_request', {
        task_id: id,
        approval_id: approvalId,
        kind: 'question',
        summary: 'x',
      });
    await worker.ping();
    expect(await figures(hub)).toMatchObject({
      'tasks{status="asks"}': 1,
      'tasks{status="running"}': 0,
      approvals_pending: 2,
    });
  });

  test('counts events in and out, readers, and frames that were refused', async () => {
    const hub = await testHub();
    await hub.submit();
    const worker = await hub.worker();
    const task = await worker.accept();
    const stream = readStream(hub, '/api/events?after=0');
    for (const text of ['one', 'two', 'three']) worker.event(task.task_id, { event_type: 'status', text });
    worker.say('task_complete', { task_id: task.task_id, generation: 77, result: {} });
    await worker.next('error', { error: 'task_complete_failed: stale_generation' });
    worker.say('task_accepted', {});
    await worker.next('error', { error: 'validation_failed' });
    worker.socket.send('{');
    await worker.next('error', { error: 'invalid_json' });
    await stream.until((event) => JSON.stringify(event.body).includes('three'));
    const now = await figures(hub);
    expect(now).toMatchObject({
      events_in_total: 3,
      events_dropped_total: 0,
      streams: 1,
      'frames_refused_total{reason="task_complete_failed"}': 1,
      'frames_refused_total{reason="validation_failed"}': 1,
      'frames_refused_total{reason="invalid_json"}': 1,
    });
    expect(now.events_out_total).toBeGreaterThanOrEqual(3);
    stream.close();
  });

  test('shows the process, and no task, repository or model', async () => {
    const hub = await testHub();
    const taskId = await hub.submit({ repo: 'https://example.org/secret-repo.git', model: 'qwen3:8b' });
    const worker = await hub.worker({ agentId: 'gpu-box-1', models: ['qwen3:8b'] });
    await worker.finish(await worker.accept());
    const text = await metricsOf(hub);
    expect(text).toContain('nodejs_eventloop_lag_seconds');
    expect(text).toContain('process_resident_memory_bytes');
    for (const name of [taskId, 'secret-repo', 'qwen3']) expect(text).not.toContain(name);
  });

  test('a hub that is not to be watched has none', async () => {
    const hub = await testHub({ metrics: false });
    const headers = { authorization: `Bearer ${hub.hub.tokens.admin}` };
    expect((await fetch(`${hub.hub.url}/metrics`, { headers })).status).toBe(404);
  });
});
