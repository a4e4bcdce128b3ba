/** A separate module: a dynamic import of `zod` itself would add all of zod, with messages in every language, to the bundle. */
import { config } from 'zod';

/**
 * Makes zod interpret schemas instead of compiling them. Compiling delays a first task by 20 ms and pays off only after
 * thousands of values.
 */
export const interpretSchemas = (): void => void config({ jitless: true });
