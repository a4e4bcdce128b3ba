/** Waiting for what real sockets bring, without sleeping. */
import { eventually } from './eventually.ts';

/** Turns the event loop until `condition` holds; fails loudly in the end. */
export const until = (condition: () => boolean, what = 'the condition'): Promise<void> =>
  eventually(condition, what);

/** Lets everything that is on its way over loopback arrive, answers to it included. */
export async function quiet(turns = 12): Promise<void> {
  for (let i = 0; i < turns; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
