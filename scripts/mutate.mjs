// Mutation testing: `npm run mutate -- ROOM…` puts wrong lines into a room and tells which ones its tests do not notice.
// Files or globs after a room's name narrow it to them; each file may end in a range of lines (`parse.ts:10-20`).
// For rooms without input and output; minutes each, so it is not part of continuous integration.
import { Stryker } from '@stryker-mutator/core';
import jestConfig from '../jest.config.js';

/** What is made wrong, and the tests that ought to notice; `folder` where they are of pure functions, and need no jest. */
const rooms = {
  parser: { sources: ['sidecar/answers/**/*.ts'], folder: 'test/answers' },
  guardrails: {
    sources: ['sidecar/loop/guards/**/*.ts'],
    tests: ['test/loop/guards/**/*.test.ts'],
  },
  ledger: { sources: ['sidecar/ledger/*.ts'], tests: ['test/ledger/*.test.ts'] },
  limits: {
    sources: ['sidecar/asking/check-limits.ts', 'sidecar/task/run-limits.ts'],
    tests: ['test/asking/check-limits.test.ts', 'test/task/run-limits.test.ts'],
  },
  'hub-link': {
    sources: ['sidecar/hub-link/{assigned-tasks,backoff,frame-meter,merge-events,recoveries}.ts'],
    tests: ['test/hub-link/*.test.ts'],
  },
  verification: { sources: ['sidecar/verification/*.ts'], tests: ['test/verification/*.test.ts'] },
  plan: { sources: ['sidecar/plan/*.ts'], tests: ['test/plan/**/*.test.ts'] },
};

/** Each room that was named, with the files that were named after it. */
const chosen = [];
for (const argument of process.argv.slice(2)) {
  if (Object.hasOwn(rooms, argument)) {
    chosen.push({ name: argument, files: [] });
  } else if (chosen.length > 0 && argument.startsWith('sidecar/')) {
    chosen.at(-1).files.push(argument);
  } else {
    chosen.length = 0;
    break;
  }
}
if (chosen.length === 0) {
  console.error(
    `Name one or more rooms of: ${Object.keys(rooms).join(', ')}; files of a room (sidecar/…) come after its name.`,
  );
  process.exit(2);
}
// Each wrong line runs the tests again: fewer cases of each kind.
process.env.FUZZ_RUNS ??= '200';
for (const { name, files } of chosen) {
  const { sources, folder, tests = [] } = rooms[name];
  await new Stryker({
    mutate: files.length > 0 ? files : sources,
    testRunner: folder ? 'in-process' : 'jest',
    plugins: [
      import.meta.resolve('@stryker-mutator/jest-runner'),
      import.meta.resolve('./mutation/in-process-runner.mjs'),
    ],
    inProcess: { folder },
    // Its loaded modules are never freed.
    maxTestRunnerReuse: folder ? 200 : 0,
    testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
    jest: {
      projectType: 'custom',
      config: {
        ...jestConfig,
        // Suites of hostile texts measure time, not what is read.
        testMatch: [...tests.map((path) => `<rootDir>/${path}`), '!**/hostile.test.ts'],
        testSequencer: '<rootDir>/test/support/longest-last.js',
        setupFilesAfterEnv: ['<rootDir>/test/support/first-counterexample.js'],
      },
      enableFindRelatedTests: false,
    },
    // Its settings need the compiler's old API, which TypeScript 7 does not have; jest strips types by itself.
    tsconfigFile: 'none',
    coverageAnalysis: 'perTest',
    // Texts are for people; a changed word in one is no wrong line.
    mutator: { excludedMutations: ['StringLiteral'] },
    concurrency: Number(process.env.MUTATE_CONCURRENCY ?? 1),
    ignorePatterns: ['dist', 'docs', 'evals', 'bench', '.mutation', '.ci'],
    tempDirName: '.mutation/sandbox',
    reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
    clearTextReporter: { logTests: false, reportTests: false },
    htmlReporter: { fileName: `.mutation/${name}.html` },
    jsonReporter: { fileName: `.mutation/${name}.json` },
  }).runMutationTest();
}
