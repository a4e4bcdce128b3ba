/** Waiting for what processes, sockets and disks bring, on a machine that may be busy. */

const LIMIT_MS = 25_000;

/** Turns the event loop, and does `between`, until `condition` holds; fails loudly in the end. */
export async function eventually(
  condition: () => boolean,
  what: string,
  between: () => Promise<void> | void = () => undefined,
): Promise<void> {
  const giveUpMs = Date.now() + LIMIT_MS;
  while (!condition()) {
    if (Date.now() > giveUpMs) throw new Error(`waited ${LIMIT_MS / 1000} s for ${what}`);
    await between();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
