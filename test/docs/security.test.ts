/** The table of docs/SECURITY.md is made from the lists that suites run, and names only tests that are there. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { attempts } from '../commands/escape-attempts.ts';
import { attacks } from '../corpus/toolchains/attacks.ts';
import { cheats } from '../solve/proof/cheats.ts';
import { gitAttacks } from '../workspace/git-attacks.ts';
import { ownTests } from './attempt-table.ts';

test('there are at least sixty attempts and twenty-five cheats, each once', () => {
  const names = [
    ...attempts.map(({ name }) => name),
    ...Object.keys(gitAttacks),
    ...attacks.map(({ name }) => name),
    ...ownTests.map(([, , attempt]) => attempt),
  ];
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
  expect(cheats.length).toBeGreaterThanOrEqual(25);
});

test.each(ownTests)('%s has a test "%s"', (file, title) => {
  const suite = `test/${file}.test.ts`;
  const text = readFileSync(existsSync(suite) ? suite : `test/${file}.ts`, 'utf8');
  expect(text).toContain(title);
});
