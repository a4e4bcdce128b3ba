/** Waiting for what real sockets bring, without sleeping. */

const LIMIT_MS = 25_000;

/** Turns the event loop until `condition` holds; fails loudly in the end. */
export async function until(condition: () => boolean, what = 'the condition'): Promise<void> {
  const giveUpMs = Date.now() + LIMIT_MS;
  while (!condition()) {
    if (Date.now() > giveUpMs) throw new Error(`waited ${LIMIT_MS / 1000} s for ${what}`);
    await turn();
  }
}

/** Lets everything that is on its way over loopback arrive, answers to it included. */
export async function quiet(turns = 12): Promise<void> {
  for (let i = 0; i < turns; i += 1) await turn();
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
