/** What a worker costs while it has nothing to do. */
import { afterEach, expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { freePort } from '../support/free-port.ts';
import { say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { readyWorker } from '../support/worker-process.ts';

let system: TestSystem | undefined;
afterEach(async () => {
  await system?.cleanup.close();
  system = undefined;
});

/** How often the main thread has gone to sleep so far. */
const sleeps = (pid: number): number =>
  Number(/^voluntary_ctxt_switches:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

const LOOK_MS = 4_000;
/** Aimed at 2 a second; a machine under load interrupts more often. */
const MAX_A_SECOND = 12;

(existsSync('/proc/self/status') ? test : test.skip)(
  'an idle worker that serves metrics wakes a few times a second at most',
  async () => {
    system = await startSystem({ turns: [say('x')] });
    const port = await freePort();
    const worker = await readyWorker(system, 'w', { observability: { port } });
    const pid = worker.child.pid ?? 0;
    // A rate can only be seen as time passes; the first one may still see the start.
    const rate = async () => {
      const before = sleeps(pid);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      return (sleeps(pid) - before) / (LOOK_MS / 1_000);
    };
    const rates = [await rate(), await rate()];
    expect(Math.min(...rates)).toBeLessThan(MAX_A_SECOND);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    // The pause between two looks at the event loop is none of its delay.
    const median = /^nodejs_eventloop_lag_p50_seconds (\S+)$/mu.exec(metrics)?.[1];
    expect(Number(median)).toBeLessThan(0.9);
    expect(metrics).toContain('nodejs_eventloop_lag_stddev_seconds');
  },
);
