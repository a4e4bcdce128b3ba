import { afterAll, describe, expect, test } from '@jest/globals';
import type { TaskResult } from '../../../../sidecar/base/protocol/result.ts';
import { CHECK, draftRuns, nothing, right, RUNNING_CHECK } from '../../drafts/draft-runs.ts';
import { call, say, testModel } from '../../../support/scripted-model.ts';
import { execute } from '../../../support/scripted-run.ts';
import { prepared } from '../../../workspace/prepared.ts';
import { cleanUp, repository } from '../../../workspace/repositories.ts';

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

test('a draft is a commit when it is checked, and what passed on its files is not run again', async () => {
  const steps = [CHECK, 'git diff --exit-code'].map((target) => ({
    type: 'command_succeeds' as const,
    target,
  }));
  const { result, events } = await run([right], undefined, { task: { verification_steps: steps } });
  expect(result).toMatchObject({
    verification_status: 'verified',
    evidence: 'fail_to_pass',
    iterations_used: 1,
  });
  expect(events.filter(({ text }) => text.startsWith('The same files were checked before'))).toHaveLength(1);
});
