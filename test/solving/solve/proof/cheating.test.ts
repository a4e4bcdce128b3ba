/** Ways to make checks pass without doing the work. None of them is called verified, and each is told by name. */
import { cpSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createPermissionMatcher } from '../../../../sidecar/solving/task/checking/changeable.ts';
import type { TaskInput } from '../../../../sidecar/base/protocol/task.ts';
import type { TaskResult } from '../../../../sidecar/base/protocol/result.ts';
import { cheats, FIX, NODE_TEST, ONE_FILE, OTHER_CHECKS } from './cheats.ts';
import { call, say, testModel } from '../../../support/scripted-model.ts';
import { execute } from '../../../support/scripted-run.ts';
import { tempFolders } from '../../../support/temp-folder.ts';
import { cleanUp, repository } from '../../../workspace/repositories.ts';

const folder = tempFolders();
let base: string;
let dir: string;

const TEST_FILE = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import { add } from '#add';
import { same } from './helper.js';
test('is a function', () => assert.equal(typeof add, 'function'));
test('adds', () => assert.equal(add(1, 2), 3));
test('adds as expected', () => same(add(2, 2), JSON.parse(readFileSync(new URL('./expected.json', import.meta.url))).sum));
`;
const OTHER_TEST = `import { test } from 'node:test';\ntest('other', () => undefined);\n`;
const PROJECT: Record<string, string> = {
  'package.json': `${JSON.stringify({
    type: 'module',
    imports: { '#add': './src/add.js' },
    scripts: { test: ONE_FILE, hooked: 'node --import ./hook.mjs test/add.test.js' },
  })}\n`,
  'src/add.js': 'export function add(a, b) {\n  return a - b;\n}\n',
  'test/add.test.js': TEST_FILE,
  'test/other.test.js': OTHER_TEST,
  'test/helper.js': `import assert from 'node:assert/strict';\nexport const same = (a, b) => assert.equal(a, b);\n`,
  'test/expected.json': '{"sum":4}\n',
  'scripts/check.sh': `#!/bin/sh\nexec ${ONE_FILE}\n`,
  'run-checks': '#!/bin/sh\nexec sh scripts/check.sh\n',
  '.gitignore': 'node_modules/\n.npmrc\n__pycache__/\n',
  ...OTHER_CHECKS,
};

beforeAll(() => {
  base = repository(PROJECT);
});
afterAll(cleanUp);
beforeEach(() => {
  dir = folder();
  cpSync(base, dir, { recursive: true });
});

/** A task whose model runs `commands` in the shell and then says that it is done. */
async function attempt(
  commands: string,
  check = ONE_FILE,
  task: Partial<TaskInput> = {},
): Promise<TaskResult> {
  const turns = [...(commands === '' ? [] : [call('shell', { command: commands })]), say('It adds now.')];
  const server = await testModel({
    models: [{ name: 'm' }],
    turns: [...turns, { ...say('Done.'), repeat: 'always' }],
  });
  const { result } = await execute({
    server,
    dir,
    task: {
      description: 'add(1, 2) returns -1; it should return 3.',
      verification_steps: [{ type: 'command_succeeds', target: check }],
      max_verification_retries: 0,
      ...task,
    },
  });
  return result;
}

describe('checks that pass without the work', () => {
  test.each(cheats)('$name', async ({ name, does, check, told, fails = false }) => {
    const result = await attempt(does, check);
    expect(result.verification_status).not.toBe('verified');
    const passes = result.verification_report?.status === 'pass';
    expect({ name, passes }).toEqual({ name, passes: !fails });
    if (passes) expect(result.verification_notes?.join('\n')).toMatch(told);
    expect({ passes, status: result.verification_status }).not.toEqual({ passes: true, status: 'failed' });
  });

  test('there are at least 40 of them', () => {
    expect(cheats.length).toBeGreaterThanOrEqual(40);
  });
});

describe('work that was done', () => {
  test('is verified, and the result tells which checks failed before', async () => {
    const result = await attempt(FIX, NODE_TEST);
    expect(result).toMatchObject({
      status: 'success',
      verification_status: 'verified',
      check_changes: { fixed: [NODE_TEST, 'adds', 'adds as expected'], broken: [] },
    });
    expect(result).not.toHaveProperty('verification_notes');
  });

  test('is verified by the names that `go test` prints', async () => {
    const passes = 'printf -- "--- PASS: TestAdd (0.00s)\\nok  \\tcalc\\t0.005s\\n"';
    const fails = "printf -- '--- FAIL: TestAdd (0.00s)\\nFAIL\\nFAIL\\tcalc\\t0.005s\\n'; exit 1";
    const check = `go() { if grep -q 'a + b' src/add.js; then ${passes}; else ${fails}; fi; }; go test ./...`;
    expect(await attempt(FIX, check)).toMatchObject({ status: 'success', verification_status: 'verified' });
  });

  test('is verified with new tests', async () => {
    const result = await attempt(`${FIX}; cp test/other.test.js test/more.test.js`, NODE_TEST);
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(result).not.toHaveProperty('verification_notes');
  });

  test.each([
    [
      'a test',
      "sed -i '1i // adds' test/add.test.js",
      ['The task changed test/add.test.js; the checks also pass without this change.'],
    ],
    ['what decides nothing', `sed -i 's/"type"/"description":"adds","type"/' package.json`, undefined],
  ])('is verified with a change of %s, and a note says so', async (_, edit, notes) => {
    const result = await attempt(`${FIX}; ${edit}`);
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(result.verification_notes).toEqual(notes);
  });

  const EDIT = "sed -i 's/add(1, 2), 3/add(1, 2), -1/; s/add(2, 2)/4/' test/add.test.js";

  test.each([
    ['change', true, EDIT],
    ['remove', ['test/**'], 'rm test/add.test.js'],
  ])('may %s its tests where the field says so: %j', async (_, may_change_checks, edit) => {
    const result = await attempt(edit, NODE_TEST, { may_change_checks });
    expect(result).toMatchObject({
      verification_status: 'verified',
      verification_notes: ['The task changed test/add.test.js, as permitted.'],
    });
  });

  test('may change what the globs name, and nothing else, whatever its words say', async () => {
    const task = { may_change_checks: ['package.json'], description: 'Update the tests: add subtracts now.' };
    expect(await attempt(EDIT, ONE_FILE, task)).toMatchObject({
      verification_status: 'partial_pass',
      verification_notes: expect.arrayContaining([
        expect.stringMatching(/--may-change-checks test\/add\.test\.js$/),
      ]),
    });
  });

  test.each([[false], [['src/**']], [['{'.repeat(300)]]])('may not change its tests: %j', (allowed) => {
    expect(createPermissionMatcher({ may_change_checks: allowed })('test/add.test.js')).toBe(false);
  });
});
