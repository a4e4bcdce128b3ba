// What tests of pure functions import from `@jest/globals`, run in this process: `describe`, `test`, their `each`, and jest's own `expect`.
import { expect } from 'expect';
import { bind } from 'jest-each';

export { expect };

/** Every test that was declared, in order: `id`, the file that declared it, and `run`, which throws where it fails. */
export const declared = [];
const around = { file: '', names: [] };

/** Declares the tests of a file under its name.
 * @param {string} file
 * @param {() => Promise<unknown>} load imports it */
export async function collect(file, load) {
  Object.assign(around, { file, names: [] });
  await load();
}

function declareGroup(name, body) {
  around.names.push(name);
  body();
  around.names.pop();
}

function declareTest(name, run) {
  const { file, names } = around;
  declared.push({ id: `${file}: ${[...names, name].join(' ')}`, file, run });
}

export const describe = Object.assign(declareGroup, { each: bind(declareGroup, false) });
export const test = Object.assign(declareTest, { each: bind(declareTest, false) });
