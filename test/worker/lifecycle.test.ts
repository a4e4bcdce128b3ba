/** The worker's life as docs/dev/operations.md (Worker lifecycle) tells it, on the built command line in real processes. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { describeWith } from '../support/requirements.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { call, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import {
  killed,
  processesWith,
  readyWorker,
  startWorkerProcess,
  workerPlace,
} from '../support/worker-process.ts';

let system: TestSystem;
afterEach(() => system.cleanup.close());

const write = call('write_file', { file_path: 'done.txt', content: 'yes\n' });
const task = { verification_steps: [{ type: 'file_exists', target: 'done.txt' }] };

async function begin(scenario: ScenarioInput, hub = {}): Promise<void> {
  system = await startSystem(scenario, hub);
}

const worker = (config?: ConfigInput) => readyWorker(system, 'w1', config);

/** Submits a task and waits until its first tool call has begun. */
async function submitAndWait(fields: Record<string, unknown> = task): Promise<string> {
  const { task_id: id } = await system.client.submit({ description: 'Do it', ...fields });
  await system.untilEvent(id, (body) => body.phase === 'started');
  return id;
}

const nothingLeft = () => {
  expect(readdirSync(join(system.dir, 'w1', 'worktrees')).filter((name) => !name.startsWith('.'))).toEqual(
    [],
  );
  expect(existsSync(join(system.dir, 'w1', 'worker.lock'))).toBe(false);
};

describe('a worker that is asked to end', () => {
  test('finishes what runs, reports it and ends well', async () => {
    await begin({ turns: [call('shell', { command: 'sleep 0.3' }), write, say('Done.')] });
    const one = await worker();
    const id = await submitAndWait({ ...task, repo: await sampleRepository(system.dir) });
    one.child.kill('SIGTERM');
    expect(await one.ended).toEqual({ code: 0, signal: null });
    expect(await system.client.task(id)).toMatchObject({ status: 'success' });
    nothingLeft();
  });

  test('after the grace period it stops at a safe point, verifies and reports a partial result', async () => {
    await begin({
      turns: [write, { ...call('shell', { command: 'sleep 0.2; date +%N' }), repeat: 'always' }],
    });
    const one = await worker({ worker: { gracePeriodMs: 300 } });
    const id = await submitAndWait({
      verification_steps: [...task.verification_steps, { type: 'file_exists', target: 'missing.txt' }],
    });
    await system.untilEvent(id, (body) => body.tool_name === 'shell');
    one.child.kill('SIGTERM');
    expect(await one.ended).toEqual({ code: 0, signal: null });
    const ended = await system.client.task(id);
    expect(ended).toMatchObject({
      status: 'partial',
      result: { termination_reason: 'shutdown', verification_status: 'partial_pass' },
    });
    expect(ended.result).toHaveProperty('follow_up');
  });

  test('a second signal ends it within seconds, and what was done is still reported', async () => {
    await begin({ turns: [write, { ...say('never'), faults: [{ kind: 'silent', times: 'always' }] }] });
    const one = await worker();
    const id = await submitAndWait();
    await system.untilEvent(id, (body) => body.tool_name === 'write_file' && body.phase === 'finished');
    one.child.kill('SIGINT');
    await one.wrote('Draining');
    one.child.kill('SIGINT');
    const { code } = await one.ended;
    expect(code).toBe(130);
    expect(await system.client.task(id)).toMatchObject({
      status: 'partial',
      result: { termination_reason: 'shutdown', verification_status: 'partial_pass' },
    });
  });

  test('tasks that the hub gives it meanwhile stay whole for others: no attempt is used up', async () => {
    await begin({ turns: [call('shell', { command: 'sleep 1.5' }), write, say('Done.')] });
    const one = await worker({ worker: { concurrency: 2 } });
    await submitAndWait();
    one.child.kill('SIGTERM');
    await one.wrote('Draining');
    const { task_id: late } = await system.client.submit({ description: 'Late' });
    await one.ended;
    expect(one.output).toContain('worker_draining');
    expect(await system.client.task(late)).toMatchObject({ status: 'queued', failures: 0 });
  });
});

describe('a worker that was killed', () => {
  test.each(['off', 'auto'] as const)(
    'its next life ends what its commands left, and goes on with the task (sandbox %s)',
    async (mode) => {
      const marker = `${process.pid}${mode === 'off' ? 1 : 2}`;
      await begin({
        turns: [write, call('shell', { command: `sleep 9${marker} & sleep 8${marker}` }), say('Done.')],
      });
      const one = await worker({ sandbox: { mode } });
      const id = await submitAndWait({ ...task, repo: await sampleRepository(system.dir) });
      await system.untilEvent(id, (body) => body.tool_name === 'shell');
      await killed(one.child);
      const two = await worker({ sandbox: { mode } });
      const ended = await system.untilEnded(id);
      expect(ended).toMatchObject({ status: 'success', result: { verification_status: 'verified' } });
      expect(processesWith(`8${marker}`)).toEqual([]);
      expect(processesWith(`9${marker}`)).toEqual([]);
      if (mode === 'off') expect(two.output).toContain('Stopped processes');
      two.child.kill('SIGTERM');
      await two.ended;
      nothingLeft();
    },
  );

  test('leaves a lock that the next one takes over; a living one keeps its folder', async () => {
    await begin({ turns: [say('Done.')] });
    const one = await worker();
    const second = startWorkerProcess(await workerPlace(system, 'w1'), 'w1');
    expect(await second.ended).toEqual({ code: 6, signal: null });
    expect(second.output).toMatch(new RegExp(`process ${one.child.pid} on .* uses this folder`, 'u'));
    await killed(one.child);
    await worker();
    expect((await system.finish({})).status).toBe('success');
  });
});

describe('a worker without room on its disk', () => {
  test('takes no task below the floor, and no attempt is used up', async () => {
    await begin({ turns: [say('Done.')] });
    const one = await worker({ worker: { minFreeDiskBytes: Number.MAX_SAFE_INTEGER } });
    const { task_id: id } = await system.client.submit({ description: 'x' });
    await one.wrote('worker_disk_full');
    await system.untilEvent(id, (body) => body.reason === 'retry');
    expect(await system.client.task(id)).toMatchObject({ status: 'queued', failures: 0 });
  });
});

describeWith('bubblewrap', 'a sandboxed worker', () => {
  test('says so to the hub', async () => {
    await begin({ turns: [say('Done.')] });
    await worker({ sandbox: { mode: 'required' } });
    expect(await system.api('/api/workers')).toMatchObject({ workers: [{ sandbox: 'bubblewrap' }] });
  });
});
