/** What the words of a task permit: its tests and other files of its checks are its work only where it asks for that. */
import { describe, expect, test } from '@jest/globals';
import { permissionOf, wantsTests } from '../../sidecar/brief/permission.ts';
import { processorMs, slowness } from '../support/pace.ts';

describe('tests', () => {
  test.each([
    'Write tests for parse().',
    'Add a test that shows it.',
    'Add a --json flag, and extend the tests.',
    'Cover the edge cases of parse() with tests.',
    'Add peek() with a unit-test.',
    'Update the tests: add subtracts now.',
    'Please improve the spec of the parser.',
    'The rounding is wrong.\nFix it and write a test.',
    'Please rename the field `length` of Episode to `seconds`, everywhere it is used and in the tests too.',
    'Rename load() to read(), in the tests as well.',
  ])('are asked for: %j', (description) => expect(wantsTests(description)).toBe(true));
  test.each([
    'Add a method peek so that the tests pass.',
    'Add peek() so the tests pass.',
    'Update parse() until all tests are green.',
    'Rename load to read; the tests must still pass.',
    'Change load() so that it works in the tests too.',
    'Add a --json flag and keep the tests passing.',
    'Create the missing module, the test shows how it is used.',
    'Improve the speed of test discovery in src/find.js, without changing the tests.',
    'Do not add tests.',
    'Write the file that the test reads.',
    'Add peek(). The tests show how.',
    'Add a test script to package.json.',
    'Add a --json option and ensure all tests still pass.',
    'Add the --json option and run the tests.',
    'Add a slugify function (see the tests).',
    'Add caching but the existing tests must keep passing.',
    'Add what the tests need.',
    'Adding an item twice fails the tests.',
  ])('are not: %j', (description) => expect(wantsTests(description)).toBe(false));
});

test('files are named by their paths or their names', () => {
  const names = (description: string): string[] => [...permissionOf({ description, metadata: {} }).names];
  expect(names('Set the version in package.json to 2.')).toEqual(['package.json']);
  expect(names('Change test/a.test.js and nothing else.')).toEqual(['test/a.test.js']);
  expect(names('Fix add(), as test/a.test.js shows.')).toEqual([]);
  expect(permissionOf({ description: 'Fix it.', metadata: { may_change_checks: true } }).all).toBe(true);
});

test('are found in time that does not grow with the length', () => {
  for (const text of ['add ', 'add with ', 'not add tests ', '. add'].map((part) => part.repeat(200_000)))
    expect(processorMs(() => wantsTests(text))).toBeLessThan(1_000 * slowness());
});
