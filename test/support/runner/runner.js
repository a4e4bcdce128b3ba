/**
 * Runs the tests of a file with Node's own module loader, in the process of Jest's worker. Jest itself loads modules into a
 * context of `node:vm`, once for every file of tests, where code that computes takes twice as long. Here the files of one
 * worker share the program's modules. Each has the modules below `test/` and its environment variables to itself.
 */
import { createRequire, register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';

const require = createRequire(import.meta.url);
const STATE = ['JEST_STATE_SYMBOL', 'EVENT_HANDLERS'];

let registered = false;
let suites = 0;

/** Jest's interface of a `testRunner`. */
export default async function run(globalConfig, config, environment, runtime, testPath, sendMessage) {
  if (!registered) {
    const cacheFolder = join(config.cacheDirectory, 'without-types');
    register('./hooks.js', import.meta.url, { data: { cacheFolder } });
    registered = true;
  }
  const before = { ...process.env };
  // Node shows an error's stack as it is: types are replaced by spaces, so lines and columns are those of the source.
  Error.prepareStackTrace = undefined;
  const native = {
    enterTestCode: () => {},
    leaveTestCode: () => {},
    requireModule: require,
    // The framework keeps its tests and handlers on the global object: each file gets a new one.
    requireInternalModule(path) {
      delete require.cache[path];
      for (const key of Object.getOwnPropertySymbols(globalThis))
        if (STATE.includes(key.description)) delete globalThis[key];
      return require(path);
    },
    setGlobalsForRuntime(globals) {
      globalThis[Symbol.for('test globals')] = globals;
    },
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => import(`${pathToFileURL(path).href}?suite=${(suites += 1)}`),
  };
  try {
    return await circus.default(globalConfig, config, environment, native, testPath, sendMessage);
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}
