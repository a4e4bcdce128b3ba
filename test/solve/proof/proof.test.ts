import { afterAll, describe, expect, test } from '@jest/globals';
import type { TaskResult } from '../../../sidecar/protocol/result.ts';
import { lostTests } from '../../../sidecar/solve/proof/tests-in-sources.ts';
import { draftRuns, nothing, RUNNING_CHECK } from '../../drafts/draft-runs.ts';
import { call, say, testModel } from '../../support/scripted-model.ts';
import { execute } from '../../support/scripted-run.ts';
import { prepared } from '../../workspace/prepared.ts';
import { cleanUp, repository } from '../../workspace/repositories.ts';

/** Verified is a fact about a commit: what passes only beside the work is not; `execute` clones what is verified. */
describe('fresh clone', () => {
  afterAll(cleanUp);

  const CHECK = 'node --test';
  const SUM = `const test = require('node:test'); const assert = require('node:assert'); const { sum } = require('./sum.js');
test('adds', () => assert.equal(sum(1, 2), 3));
test('zero', () => assert.equal(sum(0, 0), 0));
`;

  async function attempt(does: string, check: string, seconds?: number): Promise<TaskResult> {
    const repo = repository({
      'package.json': '{"scripts":{"test":"node --test"}}\n',
      'sum.js': 'exports.sum = (a, b) => a - b;\n',
      'sum.test.js': SUM,
      '.gitignore': 'node_modules/\nlib/\nlocal.js\nlog\n',
    });
    const server = await testModel({
      models: [{ name: 'm' }],
      turns: [call('shell', { command: does }), { ...say('Done.'), repeat: 'always' }],
    });
    const workspace = await prepared({ task_id: 't1', repo });
    const { result } = await execute({
      server,
      config: { solving: { strategy: 'loop' }, ...(seconds !== undefined && { brief: { seconds } }) },
      task: {
        description: 'sum in sum.js subtracts; make it add.',
        verification_steps: [{ type: 'command_succeeds', target: check }],
        max_verification_retries: 0,
      },
      execute: { workspace },
    });
    return result;
  }

  const module = (path: string) => `echo 'exports.sum = (a, b) => a + b;' > ${path}`;

  test.each([
    ['the work', "sed -i 's/a - b/a + b/' sum.js", CHECK, 'verified'],
    [
      'an ignored folder',
      `mkdir lib; ${module('lib/adder.js')}; echo "module.exports = require('./lib/adder.js');" > sum.js`,
      CHECK,
      'failed',
    ],
    [
      'an ignored file',
      `${module('local.js')}; echo "module.exports = require('./local.js');" > sum.js`,
      CHECK,
      'failed',
    ],
    [
      'a package that nobody installed',
      `mkdir -p node_modules/adder; ${module('node_modules/adder/index.js')}; echo "module.exports = require('adder');" > sum.js`,
      CHECK,
      'failed',
    ],
    [
      'a module in the home',
      `mkdir -p ~/.node_modules/adder; ${module('~/.node_modules/adder/index.js')}; echo "module.exports = require('adder');" > sum.js`,
      CHECK,
      'failed',
    ],
    ['a pipe', "echo '// looked at' >> sum.js", 'node --test | tee log', 'failed'],
    ['a dropped failure', "echo '// looked at' >> sum.js", 'node --test || true', 'failed'],
  ])('%s: %#', async (_what, does, check, expected) => {
    const result = await attempt(does, check);
    expect(result.verification_status).toBe(expected);
  });

  test('what a check wrote is no work, and gone in the next run', async () => {
    const check = `[ -e baseline ] || { echo new > baseline; mkdir -p lib; echo x > lib/baseline; exit 1; }`;
    const result = await attempt("echo '// looked at' >> sum.js", check, 0);
    expect(result).toMatchObject({ verification_status: 'failed', changes: { files: [{ path: 'sum.js' }] } });
  });
});

/** Tests inside sources: a changed or lost one counts, a new one and all else do not. */
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
  expect(lostTests(path, before, before.replace(from, to))).not.toEqual([]);
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
  expect(lostTests(path, before, before.replace(from, to))).toEqual([]);
});

/** Work that was stopped before it was said to be done, with checks that cannot tell half of it from the whole. */
const { run, writeSource } = draftRuns();

const HALF = 'export function add(a, b) {\n  return Number(a) + b;\n}\n';
const edits = [{ ...call('write_file', { path: 'src/add.js', content: HALF }), repeat: 'always' as const }];

test.each([
  ['passed before it: partial work', 'export function add(a, b) {\n  return a + b;\n}\n', 'partial_pass'],
  ['failed before it: the checks tell that it is done', undefined, 'verified'],
])('the checks %s', async (_what, source, expected) => {
  if (source !== undefined) writeSource(source);
  const { result } = await run([nothing], edits, {
    config: { solving: { strategy: 'loop' } },
    task: {
      description: 'add takes texts as well as numbers.',
      verification_steps: [{ type: 'command_succeeds', target: RUNNING_CHECK }],
    },
  });
  expect(result).toMatchObject({
    termination_reason: 'repetition',
    verification_status: expected,
    changes: { files: [{ path: 'src/add.js' }] },
  });
  const remaining = expected === 'verified' ? [] : [expect.stringMatching(/stopped \(repetition\)/u)];
  expect(result.remaining).toEqual(expect.arrayContaining(remaining));
});
