/** A Chromium with the dashboard in it, and what tests ask of every page: no script errors, no refused content. */
import { execFileSync } from 'node:child_process';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { TestHub } from './hub-fixture.ts';

export async function launchChromium(): Promise<Browser> {
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim();
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  });
}

export interface Dashboard {
  page: Page;
  /** Script errors, refused content and failed loads. */
  problems: string[];
  close(): Promise<void>;
}

/** Opens the dashboard signed in by the address, as `up` prints it. */
export async function openDashboard(
  browser: Browser,
  hub: TestHub,
  options: BrowserContextOptions & { taskId?: string; token?: string | null } = {},
): Promise<Dashboard> {
  const { taskId, token = hub.hub.tokens.admin, ...contextOptions } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...contextOptions });
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
  await page.goto(`${hub.hub.url}/${token === null ? '' : `#${fragment.toString()}`}`);
  return { page, problems, close: () => context.close() };
}
