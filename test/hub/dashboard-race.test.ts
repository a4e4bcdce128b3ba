/** A race on the dashboard: one row, and a page that lists who attempts it. */
import { expect, test } from '@jest/globals';
import { describeWith } from '../support/requirements.ts';
import { dashboards } from './dashboard-page.ts';
import { testHub } from './hub-fixture.ts';

describeWith('chromium', 'a race on the dashboard', () => {
  const open = dashboards();

  test('has one row; its page lists its members and says who won', async () => {
    const hub = await testHub();
    const workers = [await hub.worker({ agentId: 'w1' }), await hub.worker({ agentId: 'w2' })];
    const id = await hub.submit({ race: 2 });
    const page = await open(hub, { taskId: id });
    const assigned = [await workers[0]?.accept(), await workers[1]?.accept()];
    await page.getByText('Member 2 of 2 (w2) begins').first().waitFor();
    const members = page.locator('.members');
    // A task's id may hold the same letters.
    await members.getByText(/ w2 /).waitFor();
    expect(await members.getByRole('link').allTextContents()).toEqual([`${id}-r1`, `${id}-r2`]);
    expect(await page.locator('.task-list [role=listitem]').count()).toBe(1);

    if (assigned[0])
      workers[0]?.complete(assigned[0], { status: 'success', verification_status: 'verified' });
    await members.getByText('won').waitFor();
    await page.getByText('Member 1 of 2 (w1) wins: its result is verified').first().waitFor();
    await members.getByRole('link', { name: `${id}-r2` }).click();
    await page.getByText('in the race').waitFor();
  });
});
