/** The dashboard in a real Chromium, with workers on real sockets (operations.md, Embedded hub). */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeWith } from '../support/requirements.ts';
import { launchChromium, openDashboard } from './dashboard-page.ts';
import type { Dashboard } from './dashboard-page.ts';
import { testHub } from './hub-fixture.ts';
import type { Json, TestHub } from './hub-fixture.ts';
import { finishedResult } from './simulated-worker.ts';
import type { Heard, SimulatedWorker } from './simulated-worker.ts';

const report = {
  task_id: 't',
  run_number: 1,
  status: 'fail',
  started_at: '2026-01-07T10:23:21.000Z',
  duration_ms: 3000,
  timeout_ms: 120_000,
  checks: [
    {
      type: 'test_passes',
      target: 'auto',
      description: 'Unit tests',
      status: 'fail',
      output: 'expected 3, got -1',
      duration_ms: 2900,
    },
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
const partialResult = {
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

function call(worker: SimulatedWorker, taskId: unknown, seq: number, name: string): void {
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

const rows = (page: Page) => page.locator('#timeline .event');
const labels = async (page: Page) => page.locator('#timeline .event .label').allTextContents();

describeWith('chromium', 'the dashboard', () => {
  let browser: Browser;
  const opened: Dashboard[] = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    const dashboards = opened.splice(0);
    await Promise.all(dashboards.map((one) => one.close()));
    expect(dashboards.flatMap(({ problems }) => problems)).toEqual([]);
  });
  async function open(hub: TestHub, options: Parameters<typeof openDashboard>[2] = {}): Promise<Page> {
    const dashboard = await openDashboard(browser, hub, options);
    opened.push(dashboard);
    return dashboard.page;
  }
  async function runningTask(hub: TestHub, fields: Record<string, unknown> = {}) {
    const worker = await hub.worker({ capacity: 4, models: ['qwen3:8b'], labels: ['gpu'] });
    const id = await hub.submit({ description: 'Fix the sum', ...fields });
    const assigned = await worker.accept();
    return { worker, id, assigned };
  }
  async function partialTask(
    hub: TestHub,
  ): Promise<{ worker: SimulatedWorker; id: string; assigned: Heard }> {
    const task = await runningTask(hub);
    call(task.worker, task.id, 1, 'read_file');
    task.worker.say('task_complete', {
      task_id: task.id,
      generation: task.assigned.generation,
      result: partialResult,
      verification_report: report,
    });
    await task.worker.next('task_ack', { status: 'complete' });
    return task;
  }

  describe('a running task', () => {
    test('shows calls as they happen, with arguments and results on click and figures that run', async () => {
      const hub = await testHub();
      const { worker, id } = await runningTask(hub);
      const page = await open(hub, { taskId: id });
      await page.getByText('Accepted by worker-1').waitFor();
      expect(page.url()).not.toContain('token');
      call(worker, id, 1, 'read_file');
      await page.locator('#timeline').getByText('OK: 1 lines').waitFor();
      call(worker, id, 2, 'edit_file');
      await page.locator('#timeline').getByText('OK: 2 lines').waitFor();
      expect(await labels(page)).toEqual([
        'Submitted',
        'Assigned to worker-1',
        'Accepted by worker-1',
        'Iteration 1',
        'read_file',
        'Iteration 2',
        'edit_file',
      ]);
      await rows(page).filter({ hasText: 'edit_file' }).click();
      const inspector = page.getByRole('region', { name: 'Chosen event' });
      await expect(inspector.locator('pre').allTextContents()).resolves.toEqual([
        '{\n  "path": "src/edit_file.ts"\n}',
        'OK: 2 lines',
      ]);
      await expect(page.locator('.figures').textContent()).resolves.toContain('Tokens200Cost$0.0042');
      const started = {
        event_type: 'tool_call',
        phase: 'started',
        call_id: 'run',
        tool_name: 'run_command',
        iteration: 3,
        text: '',
      };
      worker.event(id, started);
      await page.locator('.event[data-outcome=running]').waitFor();
      await page.locator('.task .badge.running').waitFor();
    });

    test('is steered, and its worker hears it', async () => {
      const hub = await testHub();
      const { worker, id } = await runningTask(hub);
      const page = await open(hub, { taskId: id });
      await page.getByLabel('Steer the task').fill('use tabs');
      await page.getByRole('button', { name: 'Steer' }).click();
      expect(await worker.next('steer')).toMatchObject({ task_id: id, text: 'use tabs' });
      await page.locator('.event[data-type=steer]').getByText('use tabs').waitFor();
    });

    test('asks for approval, and its worker hears the answer', async () => {
      const hub = await testHub();
      const { worker, id } = await runningTask(hub);
      const page = await open(hub, { taskId: id });
      const ask = (approvalId: string, kind: string, summary: string) =>
        worker.say('approval_request', { task_id: id, approval_id: approvalId, kind, summary });
      ask('a1', 'command', 'rm -rf build');
      await page.getByText('rm -rf build').first().waitFor();
      await page.getByRole('button', { name: 'Accept' }).click();
      expect(await worker.next('approval_response')).toMatchObject({
        approval_id: 'a1',
        decision: 'accepted',
      });
      await page.locator('.ask').waitFor({ state: 'detached' });
      ask('a2', 'question', 'Which port?');
      await page.getByLabel('Correction or note').fill('8080');
      await page.getByRole('button', { name: 'Send correction' }).click();
      expect(await worker.next('approval_response')).toMatchObject({
        approval_id: 'a2',
        decision: 'corrected',
        text: '8080',
      });
    });

    test('is cancelled', async () => {
      const hub = await testHub();
      const { worker, id } = await runningTask(hub);
      const page = await open(hub, { taskId: id });
      await page.getByRole('button', { name: 'Cancel task' }).click();
      await worker.next('task_cancelled');
      await page.locator('.task .badge.cancelled').waitFor();
    });
  });

  describe('a finished task', () => {
    test('shows its plan, changes, checks and result', async () => {
      const hub = await testHub();
      const { id } = await partialTask(hub);
      const page = await open(hub, { taskId: id });
      await openTab(page, 'Plan');
      await expect(page.locator('.todo').allTextContents()).resolves.toEqual([
        'Done: sum adds',
        'Open: docs mention it',
      ]);
      await openTab(page, 'Changes');
      await expect(page.locator('.diff .line.added').allTextContents()).resolves.toEqual(['+a + b']);
      await expect(page.locator('.diff .line.removed').allTextContents()).resolves.toEqual(['-a - b']);
      await openTab(page, 'Checks');
      await page.getByText('1 of 2 passed').waitFor();
      await page.getByText('expected 3, got -1').last().waitFor();
      await openTab(page, 'Result');
      await page.getByText('Some checks pass').waitFor();
    });

    test('with a partial result makes its follow-up task at the press of a button', async () => {
      const hub = await testHub();
      const { id, worker } = await partialTask(hub);
      const page = await open(hub, { taskId: id });
      await page.getByRole('button', { name: 'Make the follow-up task' }).click();
      const follow = await worker.next('task_assign');
      await page.waitForURL(`**/#/task/${String(follow.task_id)}`);
      await page.getByRole('heading', { name: 'Make the last test pass' }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'Open the follow-up task' }).waitFor();
      expect((await hub.get('/api/tasks')).body.total).toBe(2);
    });
  });

  describe('a hub that goes away', () => {
    test('and comes back leaves neither a gap nor a double in the timeline', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'sidecar-dashboard-'));
      try {
        const database = join(folder, 'hub.db');
        const first = await testHub({ database });
        const token = await first.hub.issueToken('worker', 'worker-1');
        const worker = await first.worker({ token });
        const id = await first.submit();
        const assigned = await worker.accept();
        const page = await open(first, { taskId: id });
        const say = (who: SimulatedWorker, from: number, to: number) => {
          for (let seq = from; seq <= to; seq += 1)
            who.event(id, { event_type: 'status', text: `step ${seq}`, seq });
        };
        say(worker, 1, 5);
        await page.getByText('step 5', { exact: true }).waitFor();
        await first.hub.close();
        await page.getByText('Trying again').waitFor();
        const second = await testHub({ database, port: first.hub.port });
        const again = await second.worker({ token });
        again.say('state_report', { task_id: id, status: 'working', generation: assigned.generation });
        await again.next('state_report_ack');
        again.say('task_accepted', { task_id: id });
        say(again, 6, 8);
        await page.getByText('step 8', { exact: true }).waitFor();
        say(again, 9, 10);
        await page.getByText('step 10', { exact: true }).waitFor();
        await page.getByText('Trying again').waitFor({ state: 'detached' });
        const steps = (await labels(page)).filter((label) => label.startsWith('step'));
        expect(steps).toEqual(Array.from({ length: 10 }, (_, index) => `step ${index + 1}`));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

    test('with a wrong token the page asks for another, and says why', async () => {
      const hub = await testHub();
      const page = await open(hub, { token: 'wrong' });
      await page.getByRole('alert').getByText('does not know this token').waitFor();
      await page.getByLabel('Token').fill('admin-token');
      await page.keyboard.press('Enter');
      await page.getByText('No tasks yet.').waitFor();
    });
  });

  test('the list and the workers follow what happens, filtered and searched', async () => {
    const hub = await testHub();
    const page = await open(hub);
    await page.getByText('No worker has connected yet').waitFor();
    const worker = await hub.worker({ capacity: 2, models: ['qwen3:8b'] });
    worker.say('resource_report', {
      vram_used_bytes: 6e9,
      vram_total_bytes: 24e9,
      ram_used_bytes: 1e9,
      ram_total_bytes: 2e9,
      cpu_percent: 1,
    });
    await page.getByRole('meter', { name: 'VRAM' }).waitFor();
    await hub.submit({ description: 'First of two' });
    await hub.submit({ description: 'Second of two', labels: ['none'] });
    await page.getByRole('listitem').filter({ hasText: 'First of two' }).getByText('Assigned').waitFor();
    await page.getByText('1 of 2').waitFor();
    await page.getByRole('button', { name: 'Queued' }).click();
    await page.getByRole('listitem').filter({ hasText: 'First of two' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByLabel('Search tasks').fill('first');
    await page.getByRole('listitem').filter({ hasText: 'Second of two' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Drain worker-1' }).click();
    await worker.next('drain');
    await page.getByText('Draining').waitFor();
  });

  test('everything can be done with the keyboard alone', async () => {
    const hub = await testHub();
    const { worker, id } = await runningTask(hub);
    call(worker, id, 1, 'read_file');
    const page = await open(hub);
    await page.getByText('Fix the sum').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('sum');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.locator('#timeline').getByText('OK: 1 lines').waitFor();
    await tabTo(page, '#timeline');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.locator('.inspector:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('s');
    await page.keyboard.type('left');
    await page.keyboard.press('Enter');
    expect(await worker.next('steer')).toMatchObject({ text: 'left' });
    worker.say('approval_request', { task_id: id, approval_id: 'a', kind: 'question', summary: 'Go on?' });
    await page.getByText('Go on?').first().waitFor();
    await tabTo(page, '.ask button.danger');
    await page.keyboard.press('Enter');
    expect(await worker.next('approval_response')).toMatchObject({ decision: 'rejected' });
    await tabTo(page, '[role=tab][aria-selected=true]');
    await page.keyboard.press('ArrowRight');
    await page.getByText('This task has no plan.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Workers' }).waitFor();
    await page.keyboard.press('n');
    await page.keyboard.type('A new one');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'A new one' }).waitFor();
  });

  test('ten thousand events cost no more elements than the window shows', async () => {
    const hub = await testHub({ framesPerMinute: 1e7 });
    const { worker, id } = await runningTask(hub);
    const total = 10_000;
    for (let from = 1; from <= total; from += 500) {
      const events = Array.from({ length: 500 }, (_, index) => ({
        event_type: 'status',
        text: `step ${from + index}`,
        seq: from + index,
      }));
      worker.event(id, { event_type: 'status', text: '', events });
    }
    const page = await open(hub, { taskId: id });
    await page.getByText(`step ${total}`, { exact: true }).waitFor();
    expect(await rows(page).count()).toBeLessThan(80);
    await expect(rows(page).first().getAttribute('aria-setsize')).resolves.toBe(String(total + 3));
    await page.locator('#timeline').focus();
    await page.keyboard.press('Home');
    await page.getByText('step 1', { exact: true }).waitFor();
    worker.event(id, { event_type: 'status', text: 'one more', seq: total + 1 });
    await page.getByRole('button', { name: 'Follow live' }).click();
    await page.getByText('one more', { exact: true }).waitFor();
    expect(await rows(page).count()).toBeLessThan(80);
  });

  test('nothing that a task or a worker says is ever markup', async () => {
    const evil = `"><img src=x onerror="window.hit=1"><script>window.hit=1</script><svg onload=window.hit=1>javascript:window.hit=1`;
    const hub = await testHub();
    const worker = await hub.worker({
      agentId: `w-${evil}`.slice(0, 120),
      models: [evil],
      labels: [evil],
      capacity: 3,
    });
    const id = await hub.submit({
      description: `${evil}\n${evil}`,
      repo: `javascript:${evil}`,
      branch: evil,
      metadata: { [evil]: evil },
      labels: [evil],
    });
    const assigned = await worker.accept();
    const fields = {
      tool_name: evil,
      args_summary: evil,
      result_summary: `ERR: ${evil}`,
      call_id: evil,
      model: evil,
      text: evil,
      phase: 'finished',
      success: false,
    };
    for (const type of [
      'status',
      'token',
      'tool_call',
      'stdout',
      'stderr',
      'verification',
      'plan',
      'error',
    ]) {
      worker.event(id, { event_type: type, iteration: 1, ...fields });
    }
    worker.say('approval_request', { task_id: id, approval_id: evil, kind: 'command', summary: evil });
    await hub.call('POST', `/api/tasks/${id}/steer`, { text: evil });
    const page = await open(hub, { taskId: id });
    await page.locator('.ask').waitFor();
    worker.say('task_complete', {
      task_id: id,
      generation: assigned.generation,
      result: {
        ...partialResult,
        output: `# ${evil}\n- [ ] ${evil}\n\`${evil}\`\n**${evil}**`,
        plan: `# ${evil}\n- [x] ${evil}`,
        model_used: evil,
        termination_reason: evil,
        verification_status: evil,
        completed: [evil],
        remaining: [evil],
        omitted: [evil],
        changes: {
          branch: evil,
          patch_omitted: evil,
          files: [{ path: evil, status: `added ${evil}`, additions: 1, deletions: 0 }],
          patch: `diff --git a/${evil} b/${evil}\n@@ -1 +1 @@\n+${evil}`,
        },
        follow_up: { description: evil, metadata: { follow_up_of: evil, follow_up_depth: 1 } },
      },
      verification_report: {
        ...report,
        checks: [{ type: evil, target: evil, description: evil, status: evil, output: evil, duration_ms: 1 }],
      },
    });
    await page.getByRole('button', { name: 'Make the follow-up task' }).waitFor();
    for (const tab of ['Plan', 'Changes', 'Checks', 'Result', 'Timeline']) {
      await openTab(page, tab);
      const folded = page.locator('main details:not([open]) > summary');
      while ((await folded.count()) > 0) await folded.first().click();
    }
    for (let index = 0; index < (await rows(page).count()); index += 1) await rows(page).nth(index).click();
    await page.getByRole('button', { name: 'Make the follow-up task' }).click();
    await page.waitForURL((url) => !url.hash.endsWith(id));
    await page.goto(`${hub.hub.url}/#/workers`);
    await page.locator('.worker').waitFor();
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0);
  });

  describe('fits and can be read by everybody', () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    async function violations(page: Page): Promise<string[]> {
      await page.evaluate(axe);
      const { violations: found }: Json = await page.evaluate(`axe.run({ resultTypes: ['violations'] })`);
      return found
        .filter((one: Json) => one.impact === 'serious' || one.impact === 'critical')
        .map(
          (one: Json) =>
            `${one.id}: ${one.nodes
              .map((node: Json) => node.html)
              .join(' | ')
              .slice(0, 500)}`,
        );
    }

    const looks = [
      ['light', 1280],
      ['dark', 400],
      ['dark', 1280],
      ['light', 400],
    ] as const;
    test.each(process.env.TEST_SCALE === 'ci' ? looks : looks.slice(0, 2))(
      'in %s at %i pixels',
      async (colorScheme, width) => {
        const hub = await testHub();
        const empty = await open(hub, { colorScheme, viewport: { width, height: 800 } });
        await empty.getByText(width < 800 ? 'No tasks yet.' : 'No worker has connected yet').waitFor();
        expect(await violations(empty)).toEqual([]);
        const { id } = await partialTask(hub);
        const failing = await hub.worker({ agentId: 'w2', labels: ['x'] });
        const dead = await hub.submit({ labels: ['x'], max_attempts: 1 });
        const assigned = await failing.accept();
        failing.say('approval_request', {
          task_id: dead,
          approval_id: 'a',
          kind: 'command',
          summary: 'rm -rf x',
        });
        const page = await open(hub, { colorScheme, viewport: { width, height: 800 }, taskId: dead });
        await page.locator('.ask').waitFor();
        expect(await violations(page)).toEqual([]);
        failing.say('task_failed', {
          task_id: dead,
          generation: assigned.generation,
          error: 'stall after 4 iterations',
        });
        await page.getByText('Given up', { exact: true }).waitFor();
        expect(await violations(page)).toEqual([]);
        await page.goto(`${hub.hub.url}/#/task/${id}`);
        for (const tab of ['Timeline', 'Plan', 'Changes', 'Checks', 'Result']) {
          await openTab(page, tab);
          if (tab === 'Timeline') await rows(page).last().click();
          expect([tab, await violations(page)]).toEqual([tab, []]);
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        }
        for (const route of ['#/', '#/workers', '#/task/none']) {
          await page.goto(`${hub.hub.url}/${route}`);
          await page
            .locator(route === '#/task/none' ? '[role=alert]' : 'main')
            .first()
            .waitFor();
          expect([route, await violations(page)]).toEqual([route, []]);
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        }
        await page.keyboard.press('n');
        await page.getByRole('dialog').waitFor();
        expect(await violations(page)).toEqual([]);
      },
      120_000,
    );
  });
});

/** Opens a part of the task and waits until it is drawn. */
async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click();
  await page.locator(`#panel[aria-labelledby=tab-${name.toLowerCase()}]`).waitFor();
}

/** Presses Tab until the focus is where the selector says. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
  }
  throw new Error(`Tab does not reach ${selector}`);
}
