/** The dashboard of a hub that changes, goes away or has very much to tell. */
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { describeWith } from '../../support/requirements.ts';
import { belowPath } from '../../support/hub-below-path.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import { dashboards } from './page.ts';
import { labels, rows, runningTask } from './tasks.ts';
import { testHub } from '../hub-fixture.ts';
import type { SimulatedWorker } from '../simulated-worker.ts';

const folder = tempFolders();

async function asking() {
  const hub = await testHub();
  const task = await runningTask(hub);
  task.worker.say('approval_request', {
    task_id: task.id,
    approval_id: 'a',
    kind: 'question',
    summary: 'Which port?',
  });
  await task.worker.ping();
  return { hub, ...task };
}

describeWith('chromium', 'the dashboard', () => {
  const open = dashboards();

  describe('a hub that goes away', () => {
    test('and comes back leaves neither a gap nor a double in the timeline', async () => {
      const database = join(folder(), 'hub.db');
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
    });

    test('and does not know the token any more says only that', async () => {
      const first = await testHub();
      const page = await open(first);
      await page.getByText('No tasks yet.').waitFor();
      await first.hub.close();
      await page.getByText('Trying again').waitFor();
      await testHub({ port: first.hub.port, adminToken: 'another' });
      await page.getByRole('alert').getByText('The token is unknown').waitFor();
      await page.getByText('Trying again').waitFor({ state: 'detached' });
    });

    test('with a wrong token the page asks for another, and says why', async () => {
      const hub = await testHub();
      const page = await open(hub, { token: 'wrong' });
      await page.getByRole('alert').getByText('The token is unknown').waitFor();
      await page.getByLabel('Token').fill('admin-token');
      await page.keyboard.press('Enter');
      await page.getByText('No tasks yet.').waitFor();
    });
  });

  test('a hub below a path of its host is a dashboard below that path, live', async () => {
    const hub = await testHub();
    const url = await belowPath(hub.hub.url);
    const page = await open(hub, { url });
    await page.getByText('No tasks yet.').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page
      .getByText(`${url.replace('http', 'ws')}/ws`)
      .first()
      .waitFor();
    await hub.submit({ description: 'Below' });
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByRole('row').getByText('Below').waitFor();
  });

  test('the list and the workers follow what happens, filtered and searched', async () => {
    const hub = await testHub();
    const page = await open(hub);
    await page.getByRole('link', { name: 'Overview' }).click();
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
    await page.getByText('1 of 2').waitFor();
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.locator('.task-row').filter({ hasText: 'First of two' }).getByText('Assigned').waitFor();
    await page.getByRole('button', { name: 'Queued' }).click();
    await page.locator('.task-row').filter({ hasText: 'First of two' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Partial' }).click();
    await page.getByText('No task matches.').waitFor();
    await page.getByRole('link', { name: 'Show all tasks' }).click();
    await page.getByLabel('Search tasks').fill('first');
    await page.locator('.task-row').filter({ hasText: 'Second of two' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Overview' }).click();
    page.once('dialog', (dialog) => void dialog.dismiss());
    await page.getByRole('button', { name: 'Drain worker-1' }).click();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Drain worker-1' }).click();
    await worker.next('drain');
    await page.locator('.worker-state').getByText('Draining').waitFor();
    await worker.leave();
    await page.getByRole('button', { name: 'Resume worker-1' }).click();
    await page.getByRole('button', { name: 'Resume worker-1' }).waitFor({ state: 'detached' });
  });

  test('tasks that ask are above everything, in the title and in a filter, until they are answered', async () => {
    const { hub, worker, id } = await asking();
    const page = await open(hub);
    const strip = page.getByRole('region', { name: 'Questions of tasks' });
    await strip.getByText('1 task waits for an answer').waitFor();
    await strip.getByRole('link', { name: 'Fix the sum' }).waitFor();
    await page.waitForFunction('document.title === "(1) ollama-sidecar hub"');
    await page.getByRole('link', { name: 'Asks 1' }).click();
    await page.waitForURL((url) => url.hash === '#/?status=asks');
    const row = page.locator('.task-row');
    await row.getByText('Asks', { exact: true }).waitFor();
    await row.getByText(/^Waiting .* for an answer: Which port\?$/u).waitFor();
    await strip.getByRole('link', { name: 'Fix the sum' }).click();
    await page.locator('.task .badge.asks').waitFor();
    await hub.call('POST', `/api/tasks/${id}/approvals`, { approval_id: 'a', decision: 'accepted' });
    await worker.next('approval_response');
    await page.locator('.task .badge.running').waitFor();
    await strip.getByText('1 task waits for an answer').waitFor({ state: 'detached' });
    await page.waitForFunction('document.title === "ollama-sidecar hub"');
  });

  test('filters by outcome and time with counts, and cancels several tasks at once', async () => {
    const hub = await testHub();
    const { worker, assigned } = await runningTask(hub);
    await worker.finish(assigned, { verification_status: 'unverified' });
    await worker.finish(await hub.submit({ description: 'Sums' }).then(() => worker.accept()));
    const waiting = [1, 2, 3].map((number) =>
      hub.submit({ description: `Waits ${number}`, labels: ['none'] }),
    );
    await Promise.all(waiting);
    const page = await open(hub);
    const row = page.locator('.task-row');
    await page.getByRole('button', { name: 'Queued 3' }).waitFor();
    await page.getByRole('button', { name: 'Not verified 1' }).click();
    await row.filter({ hasText: 'Sums' }).waitFor({ state: 'detached' });
    await row.filter({ hasText: 'Fix the sum' }).waitFor();
    await page.getByRole('button', { name: 'All' }).click();
    await page.getByLabel('Submitted').selectOption('Last hour');
    await page.waitForURL((url) => url.hash === '#/?range=hour');
    await page.getByRole('checkbox', { name: 'Choose Waits 1' }).check();
    await page.getByRole('checkbox', { name: 'Choose Waits 3' }).check();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Cancel 2 tasks' }).click();
    await row.filter({ hasText: 'Waits 3' }).getByText('Cancelled').waitFor();
    await page.getByRole('button', { name: 'Cancelled 2' }).waitFor();
    await expect(row.filter({ hasText: 'Waits 2' }).locator('.badge').textContent()).resolves.toBe('Queued');
  });

  test('a new task says who can do it, and is edited and submitted again with all that it had', async () => {
    const hub = await testHub();
    const worker = await hub.worker({ models: ['qwen3:8b'], labels: ['gpu'] });
    const page = await open(hub);
    await page.getByRole('button', { name: 'New task' }).click();
    const form = page.getByRole('dialog');
    await form.getByText('Workers that can run the task: worker-1').waitFor();
    await form.getByLabel('What to do').fill('Fix the sum');
    await form.getByLabel('Model').fill('llama99:70b');
    await form
      .getByText(
        'No connected worker has llama99:70b: the task waits for one. Models of the connected workers: qwen3:8b.',
      )
      .waitFor();
    await form.getByLabel('Model').fill('qwen3:8b');
    await form.getByLabel('Time limit, minutes').fill('5');
    await form.getByLabel('Budget, tokens').fill('9000');
    await form.getByLabel('Commands that must succeed').fill('npm test');
    await form.getByLabel('Read-only').check();
    await form.getByRole('button', { name: 'Submit' }).click();
    const wanted = {
      description: 'Fix the sum',
      routing_decision: { selected_model: 'qwen3:8b' },
      metadata: { timeout_ms: 300_000, read_only: true },
      budget: { max_tokens: 9_000 },
      verification_steps: [{ type: 'command_succeeds', target: 'npm test' }],
    };
    const first = await worker.accept();
    expect(first).toMatchObject(wanted);
    await worker.finish(first);
    await page.getByRole('button', { name: 'Edit and submit again' }).click();
    await form.getByLabel('Commands that must succeed').fill('npm test\nnpm run lint');
    await form.getByRole('button', { name: 'Submit again' }).click();
    const second = await worker.accept();
    expect(second).toMatchObject({
      ...wanted,
      verification_steps: [...wanted.verification_steps, { target: 'npm run lint' }],
    });
    await page.waitForURL((url) => url.hash.endsWith(String(second.task_id)));
  });

  test('a viewer sees nothing to press that the hub would refuse', async () => {
    const { hub, id } = await asking();
    const { token } = (await hub.call('POST', '/api/tokens', { role: 'viewer', name: 'eyes' })).body;
    expect((await hub.call('GET', '/api/me', undefined, { authorization: `Bearer ${token}` })).body).toEqual({
      name: 'eyes',
      role: 'viewer',
    });
    const page = await open(hub, { taskId: id, token });
    await page.getByText('An admin of this hub').or(page.getByText('or an admin of this hub')).waitFor();
    const actions = page.getByRole('button', {
      name: /New task|Cancel task|Accept|Reject|Steer|Drain|submit again/u,
    });
    expect(await actions.count()).toBe(0);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.locator('.worker').waitFor();
    expect(await actions.count()).toBe(0);
  });

  test('the next page of a list that is not shown any more is left out', async () => {
    const hub = await testHub();
    const submit = (name: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => hub.submit({ description: name })));
    await submit('Alpha', 20);
    await submit('Beta', 120);
    const page = await open(hub);
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const isNextPage = (url: URL) => url.pathname === '/api/tasks' && url.searchParams.has('before');
    const asked = page.waitForRequest((request) => isNextPage(new URL(request.url())));
    await page.route(isNextPage, async (route) => {
      await held;
      await route.continue();
    });
    await page.locator('.total').getByText('140').waitFor();
    await page.locator('.task-list').evaluate((list) => list.scrollTo(0, 1e6));
    const request = await asked;
    await page.getByLabel('Search tasks').fill('alpha');
    await page.locator('.total').getByText('20').waitFor();
    goOn();
    await (await request.response())?.finished();
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    expect(await page.locator('.task-row').filter({ hasText: 'Beta' }).count()).toBe(0);
  });

  test('the number of tasks in a list counts those that were never in sight', async () => {
    const hub = await testHub();
    await Promise.all(Array.from({ length: 120 }, () => hub.submit()));
    const [oldest] = (await hub.get('/api/tasks?before=2')).body.tasks;
    const page = await open(hub);
    const total = page.locator('.total');
    await total.getByText('120').waitFor();
    await page.getByRole('button', { name: 'Queued', exact: true }).click();
    await hub.call('POST', `/api/tasks/${oldest.task_id}/cancel`);
    await total.getByText('119').waitFor();
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
    await expect(rows(page).first().getAttribute('aria-setsize')).resolves.toBe(String(total + 1));
    await page.locator('#timeline').focus();
    await page.keyboard.press('Home');
    await page.getByText('step 1', { exact: true }).waitFor();
    worker.event(id, { event_type: 'status', text: 'one more', seq: total + 1 });
    await page.getByRole('button', { name: 'Follow live' }).click();
    await page.getByText('one more', { exact: true }).waitFor();
    expect(await rows(page).count()).toBeLessThan(80);
  });
});
