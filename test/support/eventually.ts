/** Waiting for what processes, sockets and disks bring, on a machine that may be busy. */

const LIMIT_MS = 25_000;
/** As often the event loop is turned before each further turn comes after a pause. */
const QUICK_TURNS = 50;
/** A test that turns without a pause takes the processor from the processes that it waits for. */
const PAUSE_MS = 5;

/** Turns the event loop, and does `between`, until `condition` holds; fails loudly in the end. */
export async function eventually(
  condition: () => boolean,
  what: string,
  between: () => Promise<void> | void = () => undefined,
): Promise<void> {
  const giveUpMs = Date.now() + LIMIT_MS;
  for (let turns = 0; !condition(); turns += 1) {
    if (Date.now() > giveUpMs) throw new Error(`waited ${LIMIT_MS / 1000} s for ${what}`);
    await between();
    await new Promise<void>((resolve) => {
      if (turns < QUICK_TURNS) setImmediate(resolve);
      else setTimeout(resolve, PAUSE_MS);
    });
  }
}
