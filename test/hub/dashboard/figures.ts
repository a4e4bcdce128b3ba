/** The dashboard's figures: where a task's time goes, what it waits for, and what operators look at. */
import { expect, test } from '@jest/globals';
import { systemClock } from '../../../sidecar/base/system/clock.ts';
import { describeWith } from '../../support/requirements.ts';
import { dashboards } from './page.ts';
import { failedCheck, openTab, partialTask, rows, runningTask, shownPartial, shownRunning } from './tasks.ts';
import { testHub } from '../hub-fixture.ts';

const evil = '<img src=x onerror=alert(1)>\u202Eqwen';
const modelCall = (call: object) => ({ event_type: 'status', text: 'asked', model: evil, model_call: call });

describeWith('chromium', 'the dashboard', () => {
  const open = dashboards();

  test('shows what the model writes while it writes, then what each part of its call took', async () => {
    const { worker, id, page } = await shownRunning(open);
    worker.event(id, { ...modelCall({ id: 'm', phase: 'started', kind: 'answer' }), timestamp: 1_000 });
    worker.event(id, { event_type: 'token', text: 'function sum() {\n', timestamp: 1_500 });
    const row = rows(page).filter({ hasText: 'function sum() {' });
    await row.click();
    const inspector = page.getByRole('region', { name: 'Chosen event' });
    await inspector.getByText('Being written').waitFor();
    worker.event(id, { event_type: 'token', text: '  return a + b;\n}', timestamp: 1_600 });
    await inspector.getByText('return a + b').waitFor();
    const times = { wait_ms: 100, load_ms: 0, read_ms: 300, write_ms: 600 };
    const tokens = { tokens_in: 1200, tokens_cached: 900, tokens_out: 30 };
    worker.event(id, {
      ...modelCall({ id: 'm', phase: 'finished', kind: 'answer', ...times, ...tokens }),
      timestamp: 2_000,
      duration_ms: 1_000,
    });
    await rows(page).getByText('1.2k tokens read (75 % cached, 1k/s) · 30 written (50/s)').waitFor();
    const grown = rows(page).locator('.bar > span');
    await expect(
      grown.evaluateAll((parts) => parts.map((one) => [one.className, one.getAttribute('style')])),
    ).resolves.toEqual([
      ['of-wait', 'flex-grow: 100;'],
      ['of-read', 'flex-grow: 300;'],
      ['of-write', 'flex-grow: 600;'],
    ]);
    await inspector.getByText('‹U+202E›qwen').first().waitFor();
    await page.getByRole('region', { name: 'Where the time went' }).getByText('Writing').waitFor();
  });

  test('says what a held task waits for, until it goes on', async () => {
    const { worker, id, page } = await shownRunning(open);
    worker.event(id, {
      event_type: 'status',
      text: 'On hold: waiting for the model server (model_unreachable: no Ollama)',
      on_hold: 'waiting for the model server (model_unreachable: no Ollama)',
    });
    const box = page.getByRole('region', { name: 'On hold' });
    await box.getByText('Waiting for the model server (model_unreachable: no Ollama).').waitFor();
    await box.getByText('Start Ollama (ollama serve), or set ollama.url').waitFor();
    worker.event(id, { event_type: 'status', text: 'The model server answers again', on_hold: '' });
    await box.waitFor({ state: 'detached' });
  });

  test('counts how long a task was held before the page was opened', async () => {
    const fourMinutesAgo = { ...systemClock, now: () => Date.now() - 240_000 };
    const hub = await testHub({ clock: fourMinutesAgo });
    const { worker, id } = await runningTask(hub);
    worker.event(id, {
      event_type: 'status',
      text: 'On hold: waiting for the model server',
      on_hold: 'waiting for the model server',
      timestamp: 1_000,
    });
    const page = await open(hub, { taskId: id });
    const times = page.getByRole('region', { name: 'Where the time went' });
    await times.getByText(/Waiting for the model\s*4 m/u).waitFor();
    const row = page.locator('.task-row').filter({ hasText: 'Fix the sum' });
    await row.getByText(/^On hold for 4 m .*: waiting for the model server/u).waitFor();
    await expect(page.locator('.title-line .badge').textContent()).resolves.toBe('On hold');
  });

  test('says of a finished task what came out and whether it was checked', async () => {
    const { hub, worker, assigned, page } = await shownRunning(open);
    const files = [{ path: 'src/sum.ts', status: 'modified', additions: 2, deletions: 1 }];
    worker.complete(assigned, {
      output: 'It adds now.',
      changes: { base_commit: 'a'.repeat(40), branch: 'sidecar/t', files, patch: '' },
    });
    const box = page.getByRole('region', { name: 'Outcome' });
    await box.getByRole('heading', { name: 'Done: the checks pass' }).waitFor();
    await box.getByText('It adds now.').waitFor();
    await box.getByText('src/sum.ts, +2 −1, on the branch sidecar/t').waitFor();
    const unchecked = await runningTask(hub);
    unchecked.worker.complete(unchecked.assigned, { verification_status: 'unverified' });
    await page.goto(`${hub.hub.url}/#/task/${unchecked.id}`);
    await box.getByRole('heading', { name: 'Done, but nothing was checked' }).waitFor();
  });

  test('says of a partial result why it stopped, what is verified and what remains', async () => {
    const { id, page } = await shownPartial(open);
    const box = page.getByRole('region', { name: 'Partial result' });
    await box.getByText('The model gave a final answer.').waitFor();
    await box.getByRole('heading', { name: 'Partly done: 1 of 2 checks pass' }).waitFor();
    await expect(box.locator('pre').textContent()).resolves.toBe('expected 3, got -1');
    await box.getByText('Unit tests: expected 3, got -1').waitFor();
    await box.getByRole('button', { name: 'Create the follow-up task' }).click();
    await page.waitForURL((url) => !url.hash.endsWith(id));
  });

  test('says that nothing was done, or was to do, in words and with the failing check first', async () => {
    const hub = await testHub();
    const ended = await partialTask(hub, {
      report: { checks: [{ ...failedCheck, type: 'command_succeeds', target: 'npm test', description: '' }] },
      result: {
        termination_reason: 'nudge_exhausted',
        verification_status: 'failed',
        remaining: ['npm test'],
      },
    });
    const page = await open(hub, { taskId: ended.id });
    const box = page.getByRole('region', { name: 'Partial result' });
    await box.getByRole('heading', { name: 'Not done: 0 of 1 checks pass' }).waitFor();
    for (const badge of [page.locator('.title-line .badge'), page.locator('.task-row .badge')])
      await expect(badge.textContent()).resolves.toBe('Not done');
    const text = await box.innerText();
    const order = ['Failing check: npm test', 'sum is -1', 'What remains', 'Create the follow-up task'];
    expect(order.map((part) => text.indexOf(part))).toEqual(
      order.map((part) => text.indexOf(part)).toSorted((a, b) => a - b),
    );
    expect(text).not.toContain('git -C');
    for (const tab of ['Checks', 'Result']) await openTab(page, tab);
    expect(await page.locator('main').innerText()).not.toMatch(/nudge_exhausted|final_answer/);
    const idle = await partialTask(hub, { report: { checks: [] }, result: { nothing_to_do: true } });
    await page.goto(`${hub.hub.url}/#/task/${idle.id}`);
    await page
      .getByRole('heading', { name: 'Nothing to do: the checks already passed, and nothing was changed' })
      .waitFor();
  });

  test('lists what waits or is on hold with its reason, and says above all what ails workers', async () => {
    const hub = await testHub();
    const { worker, id } = await runningTask(hub);
    const lost = await hub.worker({ agentId: 'attic', labels: ['attic'] });
    await hub.submit({ description: 'Sort the imports', labels: ['attic'] });
    await lost.accept();
    await hub.submit({ description: 'Needs a card', labels: ['h200'] });
    worker.say('worker_status', { not_ready: 'no Ollama answers' });
    worker.event(id, { event_type: 'status', text: 'On hold', on_hold: 'no Ollama answers' });
    const page = await open(hub);
    const row = (title: string) => page.locator('.task-row').filter({ hasText: title });
    await row('Needs a card')
      .getByText('Waits for a worker with the labels h200: none is connected')
      .waitFor();
    await row('Fix the sum')
      .getByText(/^On hold for .*: no Ollama answers/u)
      .waitFor();
    const strip = page.getByRole('region', { name: 'Workers that need attention' });
    await strip.getByText('worker-1 is not ready: no Ollama answers').waitFor();
    await lost.leave();
    await strip.getByText('2 workers need attention').waitFor();
    await strip.getByText('attic disconnected, 1 task affected:').waitFor();
    await strip.getByRole('link', { name: 'Sort the imports' }).waitFor();
    await hub.worker({ agentId: 'attic', labels: ['attic'] });
    await strip.getByText('worker-1 is not ready: no Ollama answers').waitFor();
    worker.say('worker_status', {});
    worker.event(id, { event_type: 'status', text: 'It answers again', on_hold: '' });
    await row('Fix the sum').getByText('Running').waitFor();
    await hub.call('POST', '/api/workers/worker-1/drain', { drain: true });
    await strip.getByRole('button', { name: 'Resume worker-1' }).click();
    await strip.getByText('worker-1').waitFor({ state: 'detached' });
  });

  test('a worker’s card has its version, model, speed and last error, titles of its tasks, and leads to them', async () => {
    const hub = await testHub();
    const { worker, id, assigned } = await runningTask(hub, { max_attempts: 2 });
    const call = { id: 'm', phase: 'finished', kind: 'answer', write_ms: 2_000, tokens_out: 83 };
    worker.event(id, { event_type: 'status', text: 'x', model: 'qwen3:8b', model_call: call });
    worker.fail(assigned, 'stall after 4 iterations');
    await worker.accept();
    const page = await open(hub);
    await page.getByRole('link', { name: 'Overview' }).click();
    const card = page.locator('.worker');
    const facts = await card.locator('.worker-facts').innerText();
    expect(facts).toMatch(/Version\s*0\.1\.0\s*Last model\s*qwen3:8b, 41\.5 tokens\/s/u);
    expect(facts).toMatch(/Last error\s*(?:just now|.* ago): The model made no progress after 4 iterations/u);
    await card.getByRole('link', { name: 'Fix the sum' }).waitFor();
    await card.getByRole('link', { name: 'worker-1', exact: true }).click();
    await page.waitForURL((url) => url.hash === '#/?q=worker%3Aworker-1');
  });

  test('says of a used-up budget which it is, in the overview and at each task that waits for it', async () => {
    const hub = await testHub({ dailyBudgets: { submitter: { maxTokens: 1_000 } } });
    const { worker, assigned } = await runningTask(hub);
    await worker.finish(assigned);
    await hub.submit({ description: 'Sort the imports' });
    const page = await open(hub);
    const row = page.locator('.task-row').filter({ hasText: 'Sort the imports' });
    await row
      .getByText('Waits for its budget: the daily budget of the submitter admin (1 000 tokens)')
      .waitFor();
    await page.goto(`${hub.hub.url}/#/overview`);
    const budget = page.getByRole('region', { name: 'Budgets' }).getByRole('row').last();
    await expect(budget.innerText()).resolves.toMatch(/submitter\s+admin\s+1.5k of 1k\s.*exhausted/su);
  });

  test('links follow-ups up and down', async () => {
    const hub = await testHub();
    const goal = { follow_up_goal: 'add a --json flag', follow_up_depth: 1 };
    const { id } = await partialTask(hub, {
      result: { follow_up: { description: 'Go on', metadata: { follow_up_of: 't', ...goal } } },
    });
    const page = await open(hub, { taskId: id });
    await page.getByRole('button', { name: 'Create the follow-up task' }).click();
    await page.getByRole('heading', { name: '↳ 1: add a --json flag' }).waitFor();
    const chain = page.getByRole('navigation', { name: 'Follow-ups' });
    await chain.getByRole('link', { name: 'Fix the sum' }).click();
    await page.getByRole('heading', { name: 'Fix the sum' }).waitFor();
    await chain.getByRole('link', { name: '↳ 1: add a --json flag' }).waitFor();
  });

  test('has an overview, whose links and whose search lead to filtered lists with addresses', async () => {
    const hub = await testHub();
    await partialTask(hub);
    await hub.submit({ description: 'Needs a card', labels: ['h200'], repo: '/srv/cart' });
    const page = await open(hub);
    await page.getByRole('link', { name: 'Overview' }).click();
    const models = page.getByRole('region', { name: 'Figures per model' });
    await expect(models.getByRole('row').last().getByRole('cell').allTextContents()).resolves.toEqual([
      '1',
      '0 %',
      '0 %',
      '100 %',
      '0 %',
      '0 %',
      '0 %',
      '1.5k',
      '–',
    ]);
    await page.locator('.waiting-list').getByText('the labels h200: none is connected').waitFor();
    await page.getByRole('link', { name: 'h200' }).click();
    const listed = page.getByRole('row').locator('.task-title');
    await page.waitForURL((url) => url.hash === '#/?status=queued&q=label%3Ah200');
    await page.locator('.task-row').filter({ hasText: 'Fix the sum' }).waitFor({ state: 'detached' });
    await expect(listed.allTextContents()).resolves.toEqual(['Needs a card']);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByLabel('Search tasks').fill('model:qwen3:8b');
    await page.getByRole('row').filter({ hasText: 'Fix the sum' }).waitFor();
    await page.waitForURL((url) => url.hash === '#/?q=model%3Aqwen3%3A8b');
    await page.reload();
    await page.getByRole('row').filter({ hasText: 'Fix the sum' }).waitFor();
    await expect(page.getByLabel('Search tasks').inputValue()).resolves.toBe('model:qwen3:8b');
    await expect(listed.allTextContents()).resolves.toEqual(['Fix the sum']);
  });

  test('lists tokens for admins, who revoke them there', async () => {
    const hub = await testHub();
    await hub.call('POST', '/api/tokens', { role: 'viewer', name: evil });
    const page = await open(hub);
    await page.getByRole('link', { name: 'Overview' }).click();
    const tokens = page.getByRole('region', { name: 'Tokens of this hub' });
    await tokens.getByText('‹U+202E›qwen').waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await tokens.getByRole('button', { name: 'Revoke' }).click();
    await tokens.waitFor({ state: 'detached' });
    expect((await hub.get('/api/tokens')).body.tokens).toEqual([]);
  });
});
