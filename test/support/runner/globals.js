/** What a file of tests and its helpers import as `@jest/globals`: the functions of the framework that runs this file. */
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } =
  globalThis[Symbol.for('test globals')];
