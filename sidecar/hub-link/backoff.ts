/** Waiting times between connections: 1 s to 15 s, doubling, with jitter so that workers do not return in step. */
import { RECONNECT_MAX_MS, RECONNECT_MIN_MS } from '../protocol/limits.ts';

/** `attempt` counts from 0 since the hub last said `identified`. */
export function backoffMs(attempt: number, random: () => number): number {
  const base = Math.min(RECONNECT_MIN_MS * 2 ** Math.min(attempt, 16), RECONNECT_MAX_MS);
  return Math.round(Math.min(Math.max(base * (0.5 + random()), RECONNECT_MIN_MS), RECONNECT_MAX_MS));
}

/** `cooldown active: retry in Ns`: how long the hub wants to be left alone. */
export function cooldownMs(reason: string): number | undefined {
  const seconds = /retry in (\d{1,6})\s*s/.exec(reason)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
