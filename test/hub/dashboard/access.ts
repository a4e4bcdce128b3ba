/** Whom the dashboard is for: keyboards, small and dark screens, screen readers. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWith } from '../../support/requirements.ts';
import { dashboards } from './page.ts';
import { call, openTab, partialResult, partialTask, rows, runningTask } from './tasks.ts';
import { testHub } from '../hub-fixture.ts';
import type { Json } from '../hub-fixture.ts';
import { scaled } from '../../support/scale.ts';

describeWith('chromium', 'the dashboard', () => {
  const open = dashboards();

  test('everything can be done with the keyboard alone', async () => {
    const hub = await testHub();
    const { worker, id } = await runningTask(hub);
    call(worker, id, 1, 'read_file');
    worker.event(id, { event_type: 'plan', text: 'Plan', plan: '- [ ] sum adds' });
    const page = await open(hub);
    await page.getByRole('row').getByText('Fix the sum').first().waitFor();
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
    await page.getByText('sum adds').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('table', { name: 'Tasks' }).waitFor();
    await page.keyboard.press('n');
    await page.keyboard.type('A new one');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'A new one' }).waitFor();
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
      ['dark', 360],
      ['dark', 1280],
      ['light', 360],
    ] as const;
    test.each(looks.slice(0, scaled({ quick: 2, full: looks.length })))(
      'in %s at %i pixels',
      async (colorScheme, width) => {
        const hub = await testHub();
        const empty = await open(hub, { colorScheme, viewport: { width, height: 800 } });
        await empty.getByText('No tasks yet.').waitFor();
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
        failing.fail(assigned, 'stall after 4 iterations');
        await page.locator('.notice.failed').getByText('The model made no progress.').waitFor();
        expect(await violations(page)).toEqual([]);
        await page.goto(`${hub.hub.url}/#/task/${id}`);
        for (const tab of ['Timeline', 'Plan', 'Changes', 'Checks', 'Result']) {
          await openTab(page, tab);
          if (tab === 'Timeline') await rows(page).last().click();
          expect([tab, await violations(page)]).toEqual([tab, []]);
          expect(await cutOff(page, '.tab', width)).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        }
        const done = await runningTask(hub);
        done.worker.event(done.id, {
          event_type: 'tool_call',
          phase: 'finished',
          tool_name: 'draft',
          text: 'Draft 1',
          args_summary: '1 of at most 4',
          details: [
            { title: 'Change', text: partialResult.changes.patch },
            { title: 'Failing check: npm test', text: 'not ok 1' },
          ],
        });
        done.worker.complete(done.assigned);
        await page.goto(`${hub.hub.url}/#/task/${done.id}`);
        await page.getByRole('region', { name: 'Outcome' }).waitFor();
        await rows(page).filter({ hasText: 'Draft 1' }).click();
        await page.getByRole('heading', { name: 'Failing check: npm test' }).waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        expect(await violations(page)).toEqual([]);
        await hub.submit({ labels: ['none'], model: 'none' });
        for (const [route, shown] of [
          ['#/?status=queued&q=label:none', '.task-row'],
          ['#/overview', '.waiting-list a.chip'],
          ['#/overview', '.models tbody a'],
          ['#/task/none', '[role=alert]'],
        ] as const) {
          await page.goto(`${hub.hub.url}/${route}`);
          await page.locator(shown).first().waitFor();
          expect([route, await violations(page)]).toEqual([route, []]);
          expect(await cutOff(page, '.filter', width)).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        }
        await page.keyboard.press('n');
        await page.getByRole('dialog').waitFor();
        expect(await violations(page)).toEqual([]);
      },
    );
  });
});

/** The texts of those that do not lie within the window from left to right. */
async function cutOff(page: Page, selector: string, width: number): Promise<string[]> {
  const found = page.locator(`${selector}:visible`);
  const boxes = await Promise.all((await found.all()).map((one) => one.boundingBox()));
  const texts = await found.allTextContents();
  return texts.filter((_, at) => {
    const box = boxes[at];
    return !box || box.x < 0 || box.x + box.width > width;
  });
}

/** Presses Tab until the focus is where the selector says. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
  }
  throw new Error(`Tab does not reach ${selector}`);
}
