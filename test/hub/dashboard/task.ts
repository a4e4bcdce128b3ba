/** A task's page on the dashboard, with workers on real sockets. */
import { describe, expect, test } from '@jest/globals';
import { describeWith } from '../../support/requirements.ts';
import { dashboards } from './page.ts';
import { call, labels, openTab, partialResult, rows, shownPartial, shownRunning } from './tasks.ts';

describeWith('chromium', 'the dashboard', () => {
  const open = dashboards();

  describe('a running task', () => {
    test('shows calls as they happen, with arguments and results on click and figures that run', async () => {
      const { worker, id, page } = await shownRunning(open);
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
      const { worker, id, page } = await shownRunning(open);
      for (let seq = 1; seq <= 30; seq += 1) call(worker, id, seq, `tool_${seq}`);
      const newest = rows(page).filter({ hasText: 'tool_30' });
      await newest.waitFor();
      const box = await newest.boundingBox();
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(800);
    });

    test('shows drafts as rows, with the cause, the change and what fails when they are opened', async () => {
      const { hub, worker, id, page } = await shownRunning(open);
      const patch = (path: string) =>
        `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,1 +1,1 @@\n-  a - b\n+  a + b\n`;
      worker.event(id, {
        event_type: 'tool_call',
        phase: 'finished',
        tool_name: 'draft',
        call_id: 'draft-1',
        args_summary: '1 of at most 4, temperature 0',
        result_summary: '+1 −1 in src/add.js; 0 of 1 checks pass',
        success: false,
        text: 'Draft 1',
        draft: { number: 1 },
        details: [
          { title: 'Cause, according to the model', text: 'It <b>subtracts</b>.' },
          { title: 'Change', text: patch('src/add.js') + patch('src/sum.js') },
          { title: 'Failing check: npm test', text: 'not ok 1 - adds' },
        ],
      });
      await rows(page).filter({ hasText: 'Draft 1' }).click();
      const inspector = page.getByRole('region', { name: 'Chosen event' });
      await inspector.getByText('It <b>subtracts</b>.').waitFor();
      await expect(inspector.locator('.file-path').allTextContents()).resolves.toEqual([
        'src/add.js',
        'src/sum.js',
      ]);
      await expect(inspector.locator('.file-counts').first().textContent()).resolves.toBe('+1 −1');
      await expect(inspector.locator('.line.added').first().textContent()).resolves.toBe('+  a + b');
      await inspector.getByRole('heading', { name: 'Failing check: npm test' }).waitFor();
      await inspector.getByText('not ok 1 - adds').waitFor();
      const { events } = (await hub.get(`/api/tasks/${id}/events`)).body;
      expect(JSON.stringify(events)).not.toContain('subtracts');
    });

    test('reads the prompt of a call when its row is opened, with hidden characters spelled out', async () => {
      const { worker, id, page } = await shownRunning(open);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      worker.event(id, {
        event_type: 'status',
        text: 'Asking qwen',
        model_call: { id: 'm', phase: 'started', kind: 'answer' },
        details: [{ title: 'Prompt: user', text: 'Fix <i>the</i> sum\u202e.' }],
      });
      const row = rows(page).filter({ hasText: 'Model' });
      await row.waitFor();
      const details = () => asked.filter((path) => /\/events\/\d+$/u.test(path));
      expect(details()).toEqual([]);
      await row.click();
      const inspector = page.getByRole('region', { name: 'Chosen event' });
      await inspector.getByText('Fix <i>the</i> sum‹U+202E›.').waitFor();
      worker.event(id, { event_type: 'token', text: 'I see.' });
      await inspector.getByText('I see.').waitFor();
      expect(details()).toHaveLength(1);
    });

    test('shows a change that the program made as a row of its own', async () => {
      const { worker, id, page } = await shownRunning(open);
      worker.event(id, {
        event_type: 'tool_call',
        phase: 'finished',
        tool_name: 'draft',
        call_id: 'draft-0',
        args_summary: 'made by the program',
        result_summary: '+1 −1 in src/add.js; the check passes',
        success: true,
        text: 'Small change: +1 −1 in src/add.js; the check passes',
        draft: { number: 0 },
      });
      await rows(page).filter({ hasText: 'Small change' }).filter({ hasText: 'the check passes' }).waitFor();
    });

    test('with several attempts says of each who did it, what it used and why it ended', async () => {
      const { worker, id, assigned, page } = await shownRunning(open, { max_attempts: 2 });
      await page.getByText('Accepted by worker-1').waitFor();
      expect(await page.locator('.event[data-type=attempt]').count()).toBe(0);
      call(worker, id, 1, 'read_file');
      worker.fail(assigned, 'stall after 4 iterations', {
        result: { model_used: 'qwen3:8b', tokens_in: 1200, tokens_out: 300 },
      });
      await worker.accept();
      call(worker, id, 2, 'edit_file');
      const heads = page.locator('.event[data-type=attempt]');
      const first = heads.filter({ hasText: 'Attempt 1' });
      await first.getByText('worker-1 · qwen3:8b').waitFor();
      await first.getByText('The model made no progress after 4 iterations · 1.5k tokens').waitFor();
      await heads.filter({ hasText: 'Attempt 2' }).getByText('runs').waitFor();
      const shown = await labels(page);
      expect(shown.filter((label) => /^Attempt|file$/u.test(label))).toEqual([
        'Attempt 1',
        'read_file',
        'Attempt 2',
        'edit_file',
      ]);
      await first.click();
      const inspector = page.getByRole('region', { name: 'Chosen event' });
      await expect(inspector.locator('dl').innerText()).resolves.toMatch(/Tokens read\s+1200/u);
    });

    test('is steered, and its worker hears it', async () => {
      const { worker, id, page } = await shownRunning(open);
      await page.getByLabel('Steer the task').fill('use tabs');
      await page.getByRole('button', { name: 'Steer' }).click();
      expect(await worker.next('steer')).toMatchObject({ task_id: id, text: 'use tabs' });
      await page.locator('.event[data-type=steer]').getByText('use tabs').waitFor();
    });

    test('asks for approval, and its worker hears the answer', async () => {
      const { worker, id, page } = await shownRunning(open);
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
      await page.getByLabel('Answer', { exact: true }).fill('8080');
      await page.getByRole('button', { name: 'Send answer' }).click();
      expect(await worker.next('approval_response')).toMatchObject({
        approval_id: 'a2',
        decision: 'corrected',
        text: '8080',
      });
    });

    test('is cancelled by who means it', async () => {
      const { worker, page } = await shownRunning(open);
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
      const { page } = await shownPartial(open);
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
      const { hub, worker, page } = await shownPartial(open);
      await page.getByRole('button', { name: 'Create the follow-up task' }).click();
      const follow = await worker.next('task_assign');
      await page.waitForURL(`**/#/task/${String(follow.task_id)}`);
      await page.getByRole('heading', { name: 'Make the last test pass' }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'Open the follow-up task' }).waitFor();
      expect((await hub.get('/api/tasks')).body.total).toBe(2);
    });
  });
});
