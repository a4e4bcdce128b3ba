/**
 * The dashboard in Chromium with 1 000 tasks in its list and one of them with 10 000 events: how many frames a second it
 * shows while the list, and the timeline, are scrolled.
 */
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { SimulatedWorker } from '../test/hub/simulated-worker.ts';
import { launchChromium } from '../test/support/chromium.ts';
import { startChild } from './support/child.ts';
import type { HubProcessOptions, HubProcessReady } from './support/hub-process.ts';
import { quantile, type Figure } from './support/measure.ts';
import { createBenchFolder } from './support/repositories.ts';
import { submitMany } from './support/submit-many.ts';

const TASKS = 1_000;
const AT_ONCE = 32;
/** A call is told by two events, its beginning and its end. */
const CALLS = 5_000;
const SCROLL_MS = 4_000;
/** About what a wheel turned quickly asks for in a frame. */
const PIXELS_A_FRAME = 90;

export async function bench(): Promise<Figure[]> {
  let browser: Browser;
  try {
    browser = await launchChromium();
  } catch (error) {
    const note = `skipped: no Chromium can be started here (${String(error)})`;
    return [{ name: 'dashboard', value: null, unit: '', note }];
  }
  const folder = createBenchFolder();
  const hub = await startChild('support/hub-process', {
    database: join(folder.dir, 'hub.sqlite'),
    framesPerMinute: 1e9,
    dashboardDir: resolve('dist/dashboard'),
  } satisfies HubProcessOptions);
  try {
    const ready = hub.ready as HubProcessReady;
    const taskId = await fill(ready);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const openedMs = performance.now();
    await page.goto(`${ready.url}/#token=${ready.adminToken}&task=${taskId}`);
    await page.locator('#timeline .row').first().waitFor();
    const shownMs = performance.now() - openedMs;
    return [
      { name: 'dashboard: page with both until its timeline is shown', value: shownMs, unit: 'ms' },
      await scrolled(page, '.detail', `timeline of ${2 * CALLS} events`),
      await scrolled(page, '.task-list', `list of ${TASKS} tasks`),
    ];
  } finally {
    await browser.close();
    await hub.end();
    folder.remove();
  }
}

/** A task in work with all its events, and the others behind it. Gives the id of the first. */
async function fill(hub: HubProcessReady): Promise<string> {
  const worker = await SimulatedWorker.join(hub.wsUrl, { agentId: 'bench', token: hub.workerToken });
  await submitMany(hub, 1, 1);
  const taskId = String((await worker.accept()).task_id);
  await submitMany(hub, TASKS - 1, AT_ONCE);
  for (let call = 1; call <= CALLS; call += 1) {
    const told = {
      event_type: 'tool_call',
      call_id: `c${call}`,
      tool_name: call % 3 === 0 ? 'shell' : 'read_file',
      iteration: call,
      text: `call ${call}`,
      args_summary: JSON.stringify({ path: `src/part${call}.ts` }),
    };
    worker.event(taskId, { ...told, phase: 'started', seq: call * 2 });
    const ended = {
      phase: 'finished',
      success: call % 7 !== 0,
      duration_ms: 12,
      result_summary: `${call} lines`,
    };
    worker.event(taskId, { ...told, ...ended, seq: call * 2 + 1 });
  }
  return taskId;
}

/** Runs in the page: how long each frame took while it scrolled, in milliseconds. */
const SCROLL = `(element, forMs, pixels) => new Promise((resolve) => {
  const frames = [];
  const startMs = performance.now();
  let lastMs = startMs;
  let step = pixels;
  const next = (nowMs) => {
    frames.push(nowMs - lastMs);
    lastMs = nowMs;
    if (nowMs - startMs > forMs) return resolve(frames.slice(1));
    const before = element.scrollTop;
    element.scrollTop = before + step;
    if (element.scrollTop === before) step = -step;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

/** Scrolls down and up again for a while. Waits until everything there is to see has come. */
async function scrolled(page: Page, selector: string, name: string): Promise<Figure> {
  let rows = -1;
  for (let seen = 0; seen !== rows; seen = await heightOf(page, selector)) {
    rows = seen;
    await page.waitForTimeout(1_500);
  }
  const framesMs = await page.evaluate<number[]>(
    `(${SCROLL})(document.querySelector(${JSON.stringify(selector)}), ${SCROLL_MS}, ${PIXELS_A_FRAME})`,
  );
  const shownMs = framesMs.reduce((sum, ms) => sum + ms, 0);
  return {
    name: `dashboard: ${name}, scrolled`,
    value: (framesMs.length * 1_000) / shownMs,
    unit: 'frames/s',
    target: '> 50',
    note: `one in twenty took over ${quantile(framesMs, 0.95).toFixed(0)} ms; ${await heightOf(page, selector)} pixels of rows`,
  };
}

const heightOf = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).evaluate((element) => element.scrollHeight);
