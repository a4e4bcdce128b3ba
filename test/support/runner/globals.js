/**
 * What tests import as `@jest/globals`: functions that call those of the framework which runs the present file. The modules
 * that import them are shared by several files, and each file has a framework of its own.
 */
let current;

/** From now on `globals` are called. */
export function useGlobals(globals) {
  current = globals;
}

function forward(name) {
  return new Proxy(() => {}, {
    apply: (_, self, args) => Reflect.apply(current[name], self, args),
    get: (_, key) => current[name][key],
  });
}

export const afterAll = forward('afterAll');
export const afterEach = forward('afterEach');
export const beforeAll = forward('beforeAll');
export const beforeEach = forward('beforeEach');
export const describe = forward('describe');
export const expect = forward('expect');
export const test = forward('test');
