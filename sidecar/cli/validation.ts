/**
 * How commands check what comes in. Zod compiles a function for each schema at its first use, which pays after thousands
 * of values; a command checks a few, and a worker not enough: without it, a start and a first task take 20 ms less.
 */
import * as z from 'zod';

/** For schemas that are made after the call, so before their modules are loaded. */
export function validateWithoutCompiling(): void {
  z.config({ jitless: true });
}
