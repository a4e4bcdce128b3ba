// What tests import from `@jest/globals`, run in this process: `describe`, `test` with `each`, hooks, and jest's own `expect`.
import { expect } from 'expect';
import { bind } from 'jest-each';

export { expect };

/** Every test that was declared, in order: `id`, the file that declared it, and `run`, which throws where it fails. */
export const declared = [];
const around = { file: '', names: [], before: [], after: [] };

/** Declares the tests of a file under its name.
 * @param {string} file
 * @param {() => Promise<unknown>} load imports it */
export async function collect(file, load) {
  Object.assign(around, { file, names: [], before: [], after: [] });
  await load();
}

function declareGroup(name, body) {
  const outer = { ...around };
  Object.assign(around, {
    names: [...outer.names, name],
    before: [...outer.before],
    after: [...outer.after],
  });
  body();
  Object.assign(around, outer);
}

function declareTest(name, body) {
  const { file, names, before, after } = around;
  const full = [...names, name].join(' ');
  const same = declared.filter((test) => test.file === file && test.name === full).length;
  declared.push({
    id: `${file}: ${full}${same > 0 ? ` (${same + 1})` : ''}`,
    name: full,
    file,
    async run() {
      try {
        for (const hook of before) await hook();
        await body();
      } finally {
        for (const hook of after.toReversed()) await hook();
      }
    },
  });
}

export const describe = Object.assign(declareGroup, { each: bind(declareGroup, false) });
export const test = Object.assign(declareTest, { each: bind(declareTest, false) });
export const beforeEach = (hook) => around.before.push(hook);
export const afterEach = (hook) => around.after.push(hook);
