/** A separate module: a dynamic import of `zod` itself would add all of zod, with messages in every language, to the bundle. */
import { config } from 'zod';

/** Makes zod interpret schemas: compiling them pays off after thousands of values and costs a first task 20 ms. */
export const interpretSchemas = (): void => void config({ jitless: true });
