/** A task's page on the dashboard, with workers on real sockets. */
import { describe, expect, test } from '@jest/globals';
import { describeWith } from '../../support/requirements.ts';
import { dashboards } from './page.ts';
import { call, labels, openTab, partialResult, partialTask, rows, runningTask } from './tasks.ts';
import { testHub } from '../hub-fixture.ts';

describeWith('chromium', 'the dashboard', () => {
  const open = dashboards();

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
        'Accepted by worker-1',
        'Iteration 1',
        'read_file',
        'Iteration 2',
        'edit_file',
      ]);
      await rows(page).filter({ hasText: 'edit_file' }).click();
      const inspector = page.getByRole('region', { name: 'Chosen event' });
      await inspector.locator('pre').nth(1).waitFor();
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

    test('has its newest row in the window', async () => {
      const hub = await testHub();
      const { worker, id } = await runningTask(hub);
      const page = await open(hub, { taskId: id });
      for (let seq = 1; seq <= 30; seq += 1) call(worker, id, seq, `tool_${seq}`);
      const newest = rows(page).filter({ hasText: 'tool_30' });
      await newest.waitFor();
      const box = await newest.boundingBox();
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(800);
    });

    test('shows drafts as rows, with the cause and the change on click', async () => {
      const hub = await testHub();
      const { worker, id } = await runningTask(hub);
      const page = await open(hub, { taskId: id });
      const patch = (path: string) =>
        `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,1 +1,1 @@\n-  a - b\n+  a + b\n`;
      worker.event(id, {
        event_type: 'tool_call',
        phase: 'finished',
        tool_name: 'draft',
        call_id: 'draft-1',
        args_summary: '1 of at most 4, temperature 0',
        result_summary: '+1 −1 in src/add.js; the check passes',
        success: true,
        text: 'Draft 1',
        draft: { number: 1, reason: 'It <b>subtracts</b>.', diff: patch('src/add.js') + patch('src/sum.js') },
      });
      await rows(page).filter({ hasText: 'draft' }).click();
      const inspector = page.getByRole('region', { name: 'Chosen event' });
      await inspector.getByText('It <b>subtracts</b>.').waitFor();
      await expect(inspector.locator('.file-path').allTextContents()).resolves.toEqual([
        'src/add.js',
        'src/sum.js',
      ]);
      await expect(inspector.locator('.file-counts').first().textContent()).resolves.toBe('+1 −1');
      await expect(inspector.locator('.line.added').first().textContent()).resolves.toBe('+  a + b');
    });

    test('shows a change that the program made as a row of its own', async () => {
      const hub = await testHub();
      const { worker, id } = await runningTask(hub);
      const page = await open(hub, { taskId: id });
      worker.event(id, {
        event_type: 'tool_call',
        phase: 'finished',
        tool_name: 'draft',
        call_id: 'draft-0',
        args_summary: 'made by the program',
        result_summary: '+1 −1 in src/add.js; the check passes',
        success: true,
        text: 'Small change: +1 −1 in src/add.js; the check passes',
        draft: { number: 0, reason: '', diff: '' },
      });
      await rows(page).filter({ hasText: 'Small change' }).filter({ hasText: 'the check passes' }).waitFor();
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

    test('is cancelled by who means it', async () => {
      const hub = await testHub();
      const { worker, id } = await runningTask(hub);
      const page = await open(hub, { taskId: id });
      const cancel = page.getByRole('button', { name: 'Cancel task' });
      page.once('dialog', (dialog) => dialog.dismiss());
      await cancel.click();
      page.once('dialog', (dialog) => dialog.accept());
      await cancel.click();
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
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy the patch' }).click();
      await page.locator('#said').getByText('Copied').waitFor();
      const copied = await page.evaluate('navigator.clipboard.readText()');
      expect(copied).toBe(partialResult.changes.patch);
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
});
