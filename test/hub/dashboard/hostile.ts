/** The dashboard with texts and results that no honest worker sends. */
import { expect, test } from '@jest/globals';
import { describeWith } from '../../support/requirements.ts';
import { dashboards } from './page.ts';
import { testHub } from '../hub-fixture.ts';

/** Right-to-left override: what follows is shown in the other direction. */
const TURNED = '\u202e';

describeWith('chromium', 'the dashboard under hostile words', () => {
  const open = dashboards();

  test('a result of any shape leaves every part of the task readable', async () => {
    const hub = await testHub();
    const worker = await hub.worker();
    const results = [
      {
        output: { a: 1 },
        plan: { x: 1 },
        changes: { files: 'none', patch: 5 },
        remaining: 'x',
        completed: 5,
        tokens_in: 'many',
        estimated_cost_usd: '0.1',
        verification_report: { checks: 'x', summary: 'y' },
      },
      {
        changes: { files: [null, { path: 5, status: 5, additions: 'x' }] },
        verification_report: { checks: [null, { status: '__proto__', duration_ms: 'x' }], summary: {} },
        verification_history: [null, { summary: null }],
      },
    ];
    for (const result of results) {
      const taskId = await hub.submit();
      await worker.finish(await worker.accept(), { status: 'partial', ...result });
      const page = await open(hub, { taskId });
      const panel = page.locator('#panel');
      await page.getByRole('tab', { name: 'Result' }).click();
      await panel.getByText('Whole result as JSON').waitFor();
      for (const tab of await page.getByRole('tab').all()) {
        await tab.click();
        await page.locator(`#panel[aria-labelledby=${await tab.getAttribute('id')}]`).waitFor();
        expect(await panel.innerText()).not.toBe('');
      }
    }
  });

  test('marks that turn text around are spelled out, above all in a command to be approved', async () => {
    const hub = await testHub();
    const worker = await hub.worker();
    const taskId = await hub.submit({ description: `rename ${TURNED}gnp.exe` });
    await worker.accept();
    const summary = `rm ${TURNED}/ fr-`;
    worker.say('approval_request', { task_id: taskId, approval_id: 'a', kind: 'command', summary });
    const page = await open(hub, { taskId });
    await page.locator('.ask pre').getByText('rm ‹U+202E›/ fr-').waitFor();
    await page.locator('h2').getByText('rename ‹U+202E›gnp.exe').waitFor();
    expect(await page.locator('body').innerText()).not.toContain(TURNED);
  });

  test('a worker’s long name, models and labels stay within its card, at any width', async () => {
    const hub = await testHub();
    const long = 'x'.repeat(200);
    const worker = await hub.worker({ agentId: 'w'.repeat(120), models: [long], labels: [long] });
    expect(worker.closed).toBeUndefined();
    for (const width of [1280, 320]) {
      const page = await open(hub, { viewport: { width, height: 700 } });
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.locator('.worker .chip').first().waitFor();
      const parts = ['.worker-head', '.meter', '.chips', '.worker button'];
      for (const part of parts) await page.locator(part).first().waitFor();
      // At one moment: the page draws its workers anew while a test measures one part after the other.
      const [card = Infinity, ...rights] = await page.evaluate<number[]>(
        `${JSON.stringify(['.worker', ...parts])}.map((part) => document.querySelector(part)?.getBoundingClientRect().right ?? Infinity)`,
      );
      expect(card).toBeLessThanOrEqual(width);
      expect(parts.filter((_, index) => !(rights[index]! <= card))).toEqual([]);
    }
  });

  test('a worker whose clock jumps by years does not stop the page', async () => {
    const hub = await testHub();
    const worker = await hub.worker();
    const taskId = await hub.submit();
    await worker.accept();
    for (const timestamp of [1, Date.UTC(2026, 0), 9e15]) {
      worker.event(taskId, { event_type: 'status', text: `at ${timestamp}`, timestamp });
    }
    const page = await open(hub, { taskId });
    await page.locator('#timeline .event').getByText('at 9000000000000000').waitFor();
    expect(await page.locator('.tick').count()).toBeLessThan(8);
  });
});
