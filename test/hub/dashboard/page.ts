/** A Chromium with the dashboard in it, the same for all pages, and what tests ask of every page: no script errors, no refused content. */
import { afterAll, afterEach, expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../../support/chromium.ts';
import type { TestHub } from '../hub-fixture.ts';

interface Dashboard {
  page: Page;
  /** Script errors, refused content and failed loads. */
  problems: string[];
  close(): Promise<void>;
}

/** `url`: where the hub is in place of its own address. */
export type DashboardOptions = BrowserContextOptions & {
  url?: string;
  taskId?: string;
  token?: string | null;
};

/**
 * Call once in a suite, and `dashboards` in each describe block after it; the browser starts with the first page that is opened.
 */
export function oneBrowser(): void {
  afterAll(async () => (await launched)?.close());
}
let launched: Promise<Browser> | undefined;

/**
 * Call at the top of a describe block; the returned function opens the dashboard in a page of its own, signed in by the
 * address as `up` prints it. After each test the pages are closed and must have had no problems.
 */
export function dashboards(): (hub: TestHub, options?: DashboardOptions) => Promise<Page> {
  const opened: Dashboard[] = [];
  afterEach(async () => {
    const dashboards = opened.splice(0);
    await Promise.all(dashboards.map((one) => one.close()));
    expect(dashboards.flatMap(({ problems }) => problems)).toEqual([]);
  });
  return async (hub, options = {}) => {
    launched ??= launchChromium();
    const dashboard = await openDashboard(await launched, hub, options);
    opened.push(dashboard);
    return dashboard.page;
  };
}

async function openDashboard(browser: Browser, hub: TestHub, options: DashboardOptions): Promise<Dashboard> {
  const { url = hub.hub.url, taskId, token = hub.hub.tokens.admin, ...contextOptions } = options;
  // Without a graphics card each frame of an animation costs as much as a whole test step.
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...contextOptions,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML|Refused/.test(message.text())) problems.push(message.text());
  });
  const fragment = new URLSearchParams({
    ...(token !== null && { token }),
    ...(taskId !== undefined && { task: taskId }),
  });
  await page.goto(`${url}/${token === null ? '' : `#${fragment.toString()}`}`);
  return { page, problems, close: () => context.close() };
}
