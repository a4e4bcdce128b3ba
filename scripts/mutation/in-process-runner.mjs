// A test runner for Stryker without jest, which takes seconds to set up for each wrong line. For tests of pure functions,
// which need no more than what `globals.mjs` has.
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
  let tests;
  let loads = 0;
  /** How many milliseconds each test took when it last passed, by its id. */
  const lastMs = new Map();

  async function load() {
    if (loads === 0) {
      register('./typescript-hooks.mjs', import.meta.url);
      await import('../../test/support/first-counterexample.js');
    }
    const query = `?load=${(loads += 1)}`;
    const { collect, declared } = await import(`./globals.mjs${query}`);
    const { folder } = options.inProcess;
    for (const name of readdirSync(folder, { recursive: true })) {
      if (!name.endsWith('.test.ts') || name.endsWith('hostile.test.ts')) continue;
      await collect(name, () => import(pathToFileURL(join(folder, name)).href + query));
    }
    tests = declared;
  }

  /** Runs the tests until one fails; each with its own coverage where `coverage` is set. */
  async function run(chosen, { coverage = false } = {}) {
    const results = [];
    for (const test of chosen) {
      if (coverage) state.currentTestId = test.id;
      const began = performance.now();
      const failure = await test.run().then(
        () => undefined,
        (error) => error,
      );
      state.currentTestId = undefined;
      const { id, name, file: fileName } = test;
      const timeSpentMs = performance.now() - began;
      const told = { id, name, fileName: join(options.inProcess.folder, fileName), timeSpentMs };
      const reached = determineHitLimitReached(state.hitCount, state.hitLimit);
      if (reached) return reached;
      if (!failure) {
        lastMs.set(id, timeSpentMs);
        results.push({ ...told, status: TestStatus.Success });
        continue;
      }
      results.push({ ...told, status: TestStatus.Failed, failureMessage: String(failure) });
      if (!coverage) break;
    }
    return { status: DryRunStatus.Complete, tests: results, mutantCoverage: state.mutantCoverage };
  }

  return {
    capabilities: () => ({ reloadEnvironment: true }),
    async dryRun() {
      await load();
      return run(tests, { coverage: true });
    },
    async mutantRun({ activeMutant, hitLimit, testFilter }) {
      Object.assign(state, { hitLimit, hitCount: hitLimit ? 0 : undefined });
      state.activeMutant = activeMutant.id;
      try {
        // Loaded anew each time: what a module remembers from before would hide the wrong line.
        await load();
      } catch (error) {
        return { status: MutantRunStatus.Killed, killedBy: [], failureMessage: String(error), nrOfTests: 0 };
      }
      const wanted = testFilter && new Set(testFilter);
      const chosen = wanted ? tests.filter(({ id }) => wanted.has(id)) : tests;
      // Properties try hundreds of texts: examples are asked first.
      const result = await run(chosen.toSorted((a, b) => (lastMs.get(a.id) ?? 0) - (lastMs.get(b.id) ?? 0)));
      state.activeMutant = undefined;
      return toMutantRunResult(result);
    },
  };
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'in-process', createRunner)];
export const strykerValidationSchema = {
  properties: { inProcess: { type: 'object', properties: { folder: { type: 'string' } } } },
};
