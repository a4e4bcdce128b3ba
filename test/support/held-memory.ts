/** What this process holds on to: its memory after a collection, since all else is only what was not collected yet. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** In bytes, buffers outside of the heap included. */
export function heldBytes(): number {
  // The first collection lets finalizers run, the second takes what they let go of.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
