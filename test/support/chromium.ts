/** The Chromium of this machine, for tests and benchmarks of pages. */
import { spawnSync } from 'node:child_process';
import type { Browser } from 'playwright-core';

/** Its program, undefined where there is none. The one without windows draws the same with half of the processor's time. */
export function chromiumPath(): string | undefined {
  const { stdout } = spawnSync('sh', ['-c', 'command -v chromium-headless-shell || command -v chromium'], {
    encoding: 'utf8',
  });
  return stdout.trim() || undefined;
}

/** Rejects where there is none. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('there is no chromium here');
  const { chromium } = await import('playwright-core');
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
