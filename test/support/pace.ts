/**
 * Limits of time on a machine that may be slow, or busy with something else: what is limited is compared with how long a
 * known piece of work takes here and now. The benches measure against the targets themselves.
 */

/** What `knownWork` takes on the machine that the limits were written on. */
const KNOWN_WORK_MS = 30;

/** So long a measurement counts. */
const KEPT_MS = 2_000;

let measured = { atMs: -Infinity, factor: 1 };

/** How many times slower this machine is at this moment; 1 for the one that the limits were written on, or a faster one. */
export function slowness(): number {
  const started = performance.now();
  if (started - measured.atMs < KEPT_MS) return measured.factor;
  knownWork();
  const atMs = performance.now();
  measured = { atMs, factor: Math.max(1, (atMs - started) / KNOWN_WORK_MS) };
  return measured.factor;
}

/** Time of the processor that `work` takes in this process, in milliseconds; waiting for others does not count. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function knownWork(): number {
  let mixed = 1;
  for (let i = 0; i < 20_000_000; i += 1) mixed = Math.imul(mixed ^ i, 0x9e3779b1) | 1;
  return mixed;
}
