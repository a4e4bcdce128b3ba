/** Figures of a hub that runs in a process of its own. */
import type { Child } from './child.ts';
import type { HubProcessReady, HubUsage } from './hub-process.ts';
import { median } from './measure.ts';

const RUNS = 9;

export const usageOf = async (hub: Child): Promise<HubUsage> =>
  (await hub.ask({ kind: 'usage' })) as HubUsage;

/** The time that a page of the API takes, the median of nine after a first one. */
export async function pageTime({ url, adminToken }: HubProcessReady, path: string): Promise<string> {
  const times: number[] = [];
  for (let run = 0; run <= RUNS; run += 1) {
    const beforeMs = performance.now();
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${adminToken}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    await answer.text();
    times.push(performance.now() - beforeMs);
  }
  return `${median(times.slice(1)).toFixed(1)} ms`;
}
