/** @type {import('jest').Config} */
export default {
  testRunner: '<rootDir>/test/support/runner/runner.js',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // They ask a real model: npm run test:real.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/real/'],
  // The repositories of cases have packages of their own.
  modulePathIgnorePatterns: ['<rootDir>/test/cases/'],
  // Node loads the tests: Jest changes nothing.
  transform: {},
  // Prints the time of every suite, not only of the slow ones.
  slowTestThreshold: 0,
  // Generous: a machine under load must not fail a test that only had to wait.
  testTimeout: process.env.TEST_SCALE === 'full' ? 3_600_000 : 300_000,
  // Most suites wait for processes: more workers than cores.
  maxWorkers: 4,
  // What each suite reads of test/ stays in the memory of its worker, and starting a program takes longer the more of it there is.
  workerIdleMemoryLimit: '250MB',
  // A worker with nothing open ends by itself, but on a machine under load not within the usual half second, and would be
  // told of as one that leaks.
  workerGracefulExitTimeout: 20_000,
  testSequencer: '<rootDir>/test/support/longest-first.js',
  reporters: ['default', '<rootDir>/test/support/time-limit.js'],
  globalSetup: '<rootDir>/test/support/shared-cache.js',
  globalTeardown: '<rootDir>/test/support/remove-shared-cache.js',
};
