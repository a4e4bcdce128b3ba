/** The Chromium of this machine, for tests and benchmarks of pages. */
import { execFileSync } from 'node:child_process';
import { chromium, type Browser } from 'playwright-core';

/** Rejects where there is none. */
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
