/** Changes that pass because they know the values of the tests. */
import { describe, expect, test } from '@jest/globals';
import { specialCaseOf } from '../../../sidecar/solve/proof/special-case.ts';

const TESTS = `assert.equal(parse('2d'), 172_800_000);
assert.equal(parse("1h"), 3600000);
expect(split(1000, 3)).toEqual([334, 333, 333]);
assert.equal(name(''), 'a');
`;
const BEFORE = 'function parse(text) {\n  if (text === "1h") return 3_600_000;\n  return NaN;\n}\n';

const after = (line: string) => BEFORE.replace('  return NaN', `  ${line}\n  return NaN`);
const ask = (line: string, task = '') =>
  specialCaseOf([{ path: 'parse.js', before: BEFORE, after: after(line) }], { tests: TESTS, task });

describe('a value of the tests that a change asks for', () => {
  test.each([
    ["if (text === '2d') return 172800000;", "'2d'"],
    ['if (text == "2d") return 172800000;', '"2d"'],
    ["if ('2d' === text) return 172800000;", "'2d'"],
    ["switch (text) { case '2d': return 1; }", "'2d'"],
    ['if (total === 1_000) return shares;', '1_000'],
    ['if [ "$1" -eq 1000 ]; then', '1000'],
  ])('%s', (line, value) => {
    expect(ask(line)).toBe(value);
  });

  test.each([
    ['a value that the tests do not hold', "if (text === '7w') return 1;"],
    ['a value that is returned and not asked for', 'const day = 172_800_000;'],
    ['a short value', "if (text === '' || text === 'a' || size === 3) return 1;"],
    ['a value that a remainder is taken by', 'if (n % 1000 === 0) return 1;'],
    ['a number of things', 'if (text.length === 1000) return 1;'],
    ['a value that the file knew', "if (text.trim() === '1h') return 1;"],
  ])('%s is none', (_what, line) => {
    expect(ask(line)).toBeUndefined();
  });

  test('nor is one that the task names', () => {
    expect(ask("if (text === '2d') return 1;", 'parse("2d") is 1')).toBeUndefined();
  });

  test('a new file has no text before', () => {
    const files = [{ path: 'new.js', after: "export const is = (text) => text === '2d';\n" }];
    expect(specialCaseOf(files, { tests: TESTS, task: '' })).toBe("'2d'");
  });

  test('a long hostile line takes no time', () => {
    expect(ask(`if (text === '${'\\'.repeat(100_000)}`)).toBeUndefined();
    expect(ask('=== '.repeat(50_000))).toBeUndefined();
  });
});
