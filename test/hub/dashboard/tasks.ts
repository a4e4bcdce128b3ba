/** Tasks for the dashboard to show, and what tests look at on a task's page. */
import type { Page } from 'playwright-core';
import { testHub, type TestHub } from '../hub-fixture.ts';
import type { dashboards } from './page.ts';
import { finishedResult } from '../simulated-worker.ts';
import type { Heard, SimulatedWorker } from '../simulated-worker.ts';

export const failedCheck = {
  type: 'test_passes',
  target: 'auto',
  description: 'Unit tests',
  status: 'fail',
  output: 'expected 3, got -1',
  essence: { runner: 'node', failed: [], errors: [], text: 'sum is -1' },
  duration_ms: 2900,
};

/** Of two checks the first has failed. */
export const report = {
  task_id: 't',
  run_number: 1,
  status: 'fail',
  started_at: '2026-01-07T10:23:21.000Z',
  duration_ms: 3000,
  timeout_ms: 120_000,
  checks: [
    { ...failedCheck, essence: undefined },
    {
      type: 'file_exists',
      target: 'docs/sum.md',
      description: 'Docs',
      status: 'pass',
      output: '',
      duration_ms: 1,
    },
  ],
  summary: { total: 2, passed: 1, failed: 1, errors: 0, timed_out: 0 },
};

/** With everything that a result may have: plan, changes, what remains, a follow-up. */
export const partialResult = {
  ...finishedResult,
  status: 'partial',
  verification_status: 'partial_pass',
  plan: '# Plan: make it add\n\n- [x] sum adds\n- [ ] docs mention it',
  changes: {
    base_commit: 'a'.repeat(40),
    branch: 'sidecar/t',
    files: [{ path: 'src/sum.ts', status: 'modified', additions: 1, deletions: 1 }],
    patch:
      'diff --git a/src/sum.ts b/src/sum.ts\n--- a/src/sum.ts\n+++ b/src/sum.ts\n@@ -1 +1 @@\n-a - b\n+a + b\n',
  },
  remaining: ['Unit tests: expected 3, got -1'],
  follow_up: { description: 'Make the last test pass', metadata: { follow_up_of: 't', follow_up_depth: 1 } },
};

/** A whole tool call of a worker, from its beginning to its end; `seq` is its iteration too. */
export function call(worker: SimulatedWorker, taskId: unknown, seq: number, name: string): void {
  const shared = {
    event_type: 'tool_call',
    call_id: `c${seq}`,
    tool_name: name,
    iteration: seq,
    text: name,
    tokens_so_far: seq * 100,
    cost_usd_so_far: seq * 0.0021,
  };
  const args = { args_summary: JSON.stringify({ path: `src/${name}.ts` }) };
  worker.event(taskId, { ...shared, ...args, phase: 'started', seq: seq * 2 });
  worker.event(taskId, {
    ...shared,
    ...args,
    phase: 'finished',
    result_summary: `OK: ${seq} lines`,
    success: true,
    duration_ms: 12,
    seq: seq * 2 + 1,
  });
}

/** A task that a worker with room for four has accepted. */
export const runningTask = (hub: TestHub, fields: Record<string, unknown> = {}) =>
  hub.running(
    { description: 'Fix the sum', ...fields },
    { capacity: 4, models: ['qwen3:8b'], labels: ['gpu'] },
  );

/** A task that has ended with `partialResult` and `report`, changed by `how`. */
export async function partialTask(
  hub: TestHub,
  how: { result?: object; report?: object } = {},
): Promise<{ worker: SimulatedWorker; id: string; assigned: Heard }> {
  const task = await runningTask(hub);
  call(task.worker, task.id, 1, 'read_file');
  task.worker.say('task_complete', {
    task_id: task.id,
    generation: task.assigned.generation,
    result: { ...partialResult, ...how.result },
    verification_report: { ...report, ...how.report },
  });
  await task.worker.next('task_ack', { status: 'complete' });
  return task;
}

type Open = ReturnType<typeof dashboards>;

/** A hub whose dashboard shows a running task. */
export async function shownRunning(open: Open, fields: Record<string, unknown> = {}) {
  const hub = await testHub();
  const task = await runningTask(hub, fields);
  return { hub, ...task, page: await open(hub, { taskId: task.id }) };
}

/** A hub whose dashboard shows a task that has ended with a partial result. */
export async function shownPartial(open: Open, how: Parameters<typeof partialTask>[1] = {}) {
  const hub = await testHub();
  const task = await partialTask(hub, how);
  return { hub, ...task, page: await open(hub, { taskId: task.id }) };
}

export const rows = (page: Page) => page.locator('#timeline .event');
export const labels = async (page: Page) => page.locator('#timeline .event .label').allTextContents();

/** Opens a part of the task and waits until it is drawn. */
export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click();
  await page.locator(`#panel[aria-labelledby=tab-${name.toLowerCase()}]`).waitFor();
}
