/**
 * Runs a long clean-up in small steps with a pause after each, so that the event loop and the database remain available for tasks. Each
 * step waits for an idle moment, but at most `maxIdleWaitMs`, so that a program that is never idle is cleaned up, too.
 */
import type { Clock } from '../ports.ts';
import { sleep } from './clock.ts';

const PAUSE_MS = 20;
const IDLE_CHECK_MS = 250;

export interface StepOptions {
  /** Does a small part of the work. Returns whether more work is left. An error ends the run. */
  step: () => boolean | Promise<boolean>;
  isIdle: () => boolean;
  /** Maximum wait for an idle moment before each step. */
  maxIdleWaitMs: number;
  clock: Clock;
  /** Signal that ends the run before the next step. */
  signal: AbortSignal;
}

/** Runs the steps until no work is left or `signal` aborts. Rejects with the error of a step. */
export async function runInSteps({ step, isIdle, maxIdleWaitMs, clock, signal }: StepOptions): Promise<void> {
  for (;;) {
    const deadlineMs = clock.monotonicMs() + maxIdleWaitMs;
    while (!signal.aborted && !isIdle() && clock.monotonicMs() < deadlineMs) {
      await sleep(clock, IDLE_CHECK_MS, signal);
    }
    if (signal.aborted || !(await step())) return;
    await sleep(clock, PAUSE_MS, signal);
  }
}
