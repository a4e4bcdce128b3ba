/**
 * The first connection of a worker's life: a hub that is not there at all is told to the person who started it, a hub
 * that goes away later is waited for.
 */
import type { Config } from '../config/schema.ts';
import type { HubLink } from '../hub-link/types.ts';
import type { Clock } from '../ports.ts';
import type { Worker } from './worker.ts';

export interface FirstConnection {
  link: HubLink;
  worker: Worker;
  config: Config;
  clock: Clock;
  /** Runs right after the link was started. */
  start: () => void;
}

/** Connects; rejects with a coded error when hub or token are refused, or nothing answers in time. */
export async function connectFirst({ link, worker, config, clock, start }: FirstConnection): Promise<void> {
  worker.connectionChanged('connecting');
  link.start();
  start();
  const timeoutMs = config.hub.connectTimeoutMs;
  const waited = new Promise<'late'>((resolve) => {
    if (timeoutMs > 0) clock.schedule(timeoutMs, () => resolve('late'));
  });
  const outcome = await Promise.race([waited, worker.whenReady(), worker.ended]);
  // A hub that answers and has an older line of this worker is there.
  if (outcome === 'late' && link.whyNoTasks !== undefined) return;
  if (outcome === 'late') {
    await worker.stop('hub_unreachable');
    const message = `${whyLate(config, link.lastLoss)} hub.connectTimeoutMs 0 waits for it.`;
    throw Object.assign(new Error(message), { code: 'hub_unreachable' });
  }
  if (outcome)
    throw Object.assign(new Error(outcome.message ?? 'The worker stopped'), { code: outcome.reason });
}

/** An answer that is no WebSocket, such as a 404, is no silence: then the address is wrong and not the hub away. */
function whyLate({ hub: { url, connectTimeoutMs } }: Config, lastLoss: string | undefined): string {
  const status = /Unexpected server response: (\d{3})/u.exec(lastLoss ?? '')?.[1];
  if (status !== undefined) {
    return `${url} answered with HTTP ${status} instead of a WebSocket. Check the path in hub.url; a hub usually has /ws.`;
  }
  const silence = `The hub at ${url} did not answer within ${connectTimeoutMs / 1000} s`;
  return `${silence}${lastLoss === undefined ? '' : ` (${lastLoss})`}. Check hub.url and whether the hub runs;`;
}
