// A test runner for Stryker without jest, which takes seconds to set up for each wrong line. For tests of pure functions,
// which need no more than what `globals.mjs` has. What Stryker takes for a test is a file of tests: what a module remembers
// is worked out by the first test that needs it, and another one of the file may be the one that looks at it.
import { readdirSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PluginKind, commonTokens, declareFactoryPlugin } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  MutantRunStatus,
  TestStatus,
  determineHitLimitReached,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';

createRunner.inject = [commonTokens.options];
function createRunner(options) {
  /** What the instrumented code reads and writes. */
  const state = (globalThis.__stryker__ ??= {});
  const { folder } = options.inProcess;
  let loads = 0;
  /** How many milliseconds each test took when it last passed, by its name. */
  const lastMs = new Map();

  /** The tests of some files, with modules that nothing was done with before. */
  async function load(files) {
    if (loads === 0) {
      register('./typescript-hooks.mjs', import.meta.url);
      await import('../../test/support/first-counterexample.js');
    }
    const query = `?load=${(loads += 1)}`;
    const { collect, declared } = await import(`./globals.mjs${query}`);
    for (const file of files) await collect(file, () => import(pathToFileURL(file).href + query));
    return declared;
  }

  /** Runs tests until one fails: the file of that one, and why. */
  async function firstFailure(tests) {
    // Properties try hundreds of texts: examples are asked first.
    for (const test of tests.toSorted((a, b) => (lastMs.get(a.id) ?? 0) - (lastMs.get(b.id) ?? 0))) {
      const began = performance.now();
      try {
        await test.run();
      } catch (error) {
        return { id: test.file, failureMessage: `${test.id}: ${String(error)}` };
      }
      lastMs.set(test.id, performance.now() - began);
    }
    return undefined;
  }

  async function dryRun() {
    const tests = [];
    for (const name of readdirSync(folder, { recursive: true })) {
      if (!name.endsWith('.test.ts') || name.endsWith('hostile.test.ts')) continue;
      const id = join(folder, name);
      state.currentTestId = id;
      const began = performance.now();
      const failure = await firstFailure(await load([id]));
      const timeSpentMs = performance.now() - began;
      const status = failure ? TestStatus.Failed : TestStatus.Success;
      tests.push({ id, name: id, fileName: id, timeSpentMs, status, ...failure });
    }
    state.currentTestId = undefined;
    return { status: DryRunStatus.Complete, tests, mutantCoverage: state.mutantCoverage };
  }

  async function mutantRun({ activeMutant, hitLimit, testFilter }) {
    Object.assign(state, { activeMutant: activeMutant.id, hitLimit, hitCount: hitLimit ? 0 : undefined });
    let failure;
    try {
      failure = await firstFailure(await load(testFilter));
    } catch (error) {
      // A file of tests that does not load fails.
      failure = { id: testFilter[0], failureMessage: String(error) };
    }
    const reached = determineHitLimitReached(state.hitCount, state.hitLimit);
    if (reached) return toMutantRunResult(reached);
    return failure
      ? { status: MutantRunStatus.Killed, killedBy: [failure.id], nrOfTests: testFilter.length, ...failure }
      : { status: MutantRunStatus.Survived, nrOfTests: testFilter.length };
  }

  return { capabilities: () => ({ reloadEnvironment: true }), dryRun, mutantRun };
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'in-process', createRunner)];
export const strykerValidationSchema = {
  properties: { inProcess: { type: 'object', properties: { folder: { type: 'string' } } } },
};
