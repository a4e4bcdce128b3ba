/** A module of its own: a dynamic import of `zod` itself would put all of it, every language's messages included, into the bundle. */
import { config } from 'zod';

/** Makes zod interpret schemas: compiling them pays off after thousands of values and costs a first task 20 ms. */
export const interpretSchemas = (): void => void config({ jitless: true });
