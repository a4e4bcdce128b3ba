/** Tests inside sources: a changed or lost one counts, a new one and all else do not. */
import { expect, test } from '@jest/globals';
import { changesOwnTests } from '../../../sidecar/solve/proof/tests-in-sources.ts';

const PYTHON = `def add(a, b):
    """Adds.

    >>> add(1, 2)
    3
    >>> add(0, 0)
    0
    """
    return a - b


if __name__ == '__main__':
    assert add(1, 2) == 3
`;
const RUST = `/// \`\`\`
/// assert_eq!(c::add(1, 2), 3);
/// \`\`\`
pub fn add(a: i32, b: i32) -> i32 { a - b }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() { assert_eq!(add(1, 2), 3); }
}
`;

test.each([
  ['a value of a doctest', 'a.py', PYTHON, '    3\n', '    -1\n'],
  ['a lost doctest', 'a.py', PYTHON, '    >>> add(0, 0)\n    0\n', ''],
  ['a skipped doctest', 'a.py', PYTHON, 'add(1, 2)\n', 'add(1, 2)  # doctest: +SKIP\n'],
  ['an assertion of the main part', 'a.py', PYTHON, 'assert add(1, 2) == 3', 'assert True'],
  ['a test of a module', 'lib.rs', RUST, 'add(1, 2), 3); }', 'add(1, 2), -1); }'],
  ['an ignored test', 'lib.rs', RUST, '#[test]', '#[test]\n    #[ignore]'],
  ['a module that is compiled out', 'lib.rs', RUST, '#[cfg(test)]', '#[cfg(none)]'],
  ['an example of Rust', 'lib.rs', RUST, 'c::add(1, 2), 3', 'c::add(1, 2), -1'],
])('%s', (_, path, before, from, to) => {
  expect(before).toContain(from);
  expect(changesOwnTests(path, before, before.replace(from, to))).toBe(true);
});

test.each([
  ['the code', 'a.py', PYTHON, 'a - b', 'a + b'],
  ['a new doctest', 'a.py', PYTHON, '    >>> add(0, 0)', '    >>> add(2, 2)\n    4\n    >>> add(0, 0)'],
  ['the words around it', 'a.py', PYTHON, 'Adds.', 'Adds two numbers.'],
  [
    'a main part that checks nothing',
    'b.py',
    "if __name__ == '__main__':\n    main()\n",
    'main()',
    'main(1)',
  ],
  ['the code of Rust', 'lib.rs', RUST, 'a - b', 'a + b'],
  [
    'a new test',
    'lib.rs',
    RUST,
    '3); }\n}',
    '3); }\n\n    #[test]\n    fn zero() { assert_eq!(add(0, 0), 0); }\n}',
  ],
  ['another language', 'a.js', '// >>> 1\n// 1\n', '1', '2'],
])('not %s', (_, path, before, from, to) => {
  expect(before).toContain(from);
  expect(changesOwnTests(path, before, before.replace(from, to))).toBe(false);
});
