import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../sidecar/base/system/clock.ts';
import type { LocalExecutionEnvironment } from '../../../sidecar/workspace/local-environment.ts';
import type { ExecutionEvent } from '../../../sidecar/base/protocol/events.ts';
import { verificationReportSchema } from '../../../sidecar/base/protocol/result.ts';
import type { VerificationReport } from '../../../sidecar/base/protocol/result.ts';
import { verificationStepSchema } from '../../../sidecar/base/protocol/task.ts';
import { runChecks } from '../../../sidecar/solving/verification/run-checks.ts';
import type { RunChecksOptions } from '../../../sidecar/solving/verification/run-checks.ts';
import { detectTestCommand } from '../../../sidecar/solving/verification/test-command.ts';
import { openFolderWorkspace } from '../../../sidecar/workspace/folder-workspace.ts';
import { cleanUp, repository, write } from '../../workspace/repositories.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { localEnvironments } from '../../support/local-environments.ts';

const environment = localEnvironments();
let env: LocalExecutionEnvironment;
let dir: string;
beforeEach(() => {
  env = environment();
  dir = env.workingDirectory;
});
afterAll(cleanUp);

interface Step {
  type: string;
  target?: string;
  contains?: string;
  description?: string;
}

async function check(steps: Step[], more: Partial<RunChecksOptions> = {}): Promise<VerificationReport> {
  const report = await runChecks(
    steps.map((step) => verificationStepSchema.parse(step)),
    {
      env,
      workspace: { listUncommittedFiles: async () => [] },
      timeoutMs: 20_000,
      taskId: 't',
      runNumber: 1,
      clock: systemClock,
      ...more,
    },
  );
  return verificationReportSchema.parse(report);
}

/** Status and first line of the one check. */
async function verdict(step: Step, more?: Partial<RunChecksOptions>): Promise<string> {
  const { checks } = await check([step], more);
  const [first] = checks;
  return `${first?.status}: ${first?.output.split('\n', 1)[0]?.replace(/\d+\.\d+ s/, 'N s')}`;
}

describe('the checks', () => {
  test('file_exists', async () => {
    write(dir, { 'a.txt': 'x' });
    expect(await verdict({ type: 'file_exists', target: 'a.txt' })).toBe('pass: a.txt exists');
    expect(await verdict({ type: 'file_exists', target: 'b.txt' })).toBe('fail: b.txt does not exist');
    expect(await verdict({ type: 'file_exists' })).toMatch(/^error: file_exists needs a path/);
    expect(await verdict({ type: 'file_exists', target: '../../etc/passwd' })).toMatch(/^error: /);
  });

  test('file_contains', async () => {
    write(dir, { 'a.txt': 'one two\n' });
    expect(await verdict({ type: 'file_contains', target: 'a.txt', contains: 'two' })).toMatch(/^pass/);
    expect(await verdict({ type: 'file_contains', target: 'a.txt::one' })).toMatch(/^pass/);
    expect(await verdict({ type: 'file_contains', target: 'a.txt', contains: 'three' })).toBe(
      'fail: a.txt does not contain "three"',
    );
    expect(await verdict({ type: 'file_contains', target: 'a.txt::one', contains: 'two' })).toBe(
      'fail: a.txt::one does not exist',
    );
    expect(await verdict({ type: 'file_contains', target: 'a.txt', contains: 'x'.repeat(300) })).toBe(
      `fail: a.txt does not contain "${'x'.repeat(200)}"`,
    );
    for (const target of ['a.txt', 'a.txt::', '::one', ''])
      expect(await verdict({ type: 'file_contains', target })).toMatch(/^error: file_contains needs a path/);
    expect(await verdict({ type: 'file_contains', contains: 'one' })).toMatch(/^error: file_contains needs/);
    expect(await verdict({ type: 'file_contains', target: 'none.txt::x' })).toBe(
      'fail: none.txt does not exist',
    );
  });

  test('command_succeeds', async () => {
    expect(await verdict({ type: 'command_succeeds', target: 'true' })).toBe('pass: `true` passed in N s');
    const { checks } = await check([{ type: 'command_succeeds', target: 'echo out; echo err >&2; exit 3' }]);
    expect(checks[0]).toMatchObject({ status: 'fail' });
    expect(checks[0]?.output).toMatch(/exited with code 3 after .*\nout\nerr$/s);
    expect(checks[0]?.output).toMatch(/ after \d\.\d s\n/);
    for (const target of ['', '  '])
      expect(await verdict({ type: 'command_succeeds', target })).toMatch(/^error: command_succeeds needs/);
    expect(await verdict({ type: 'command_succeeds', target: 'kill -9 $$' })).toMatch(
      /^fail: `kill -9 \$\$` (was killed by SIGKILL|exited with code 137 \(SIGKILL\)) after N s$/,
    );
  });

  test('git_clean asks the worker', async () => {
    const folder = repository();
    const opened = await openFolderWorkspace(folder, { privateDir: join(dir, 'private') });
    if (!opened.ok) throw new Error(opened.failure.message);
    const workspace = opened.value;
    expect(await verdict({ type: 'git_clean' }, { workspace })).toBe('pass: No uncommitted changes');
    write(folder, { 'b.txt': 'x' });
    expect(await verdict({ type: 'git_clean' }, { workspace })).toBe('fail: 1 uncommitted files');
    await workspace.commit('x');
    expect(await verdict({ type: 'git_clean' }, { workspace })).toMatch(/^pass/);
  });

  test.each([
    [20, undefined],
    [23, '… and 3 more'],
  ])('git_clean with %i uncommitted files lists twenty', async (count, more) => {
    const files = Array.from({ length: count }, (_, index) => `${index}.txt`);
    const workspace = { listUncommittedFiles: () => Promise.resolve(files) };
    const { checks } = await check([{ type: 'git_clean' }], { workspace });
    expect(checks[0]?.output.split('\n')).toEqual([
      `${count} uncommitted files`,
      ...files.slice(0, 20),
      ...(more === undefined ? [] : [more]),
    ]);
  });

  test('an unknown type is an error, whatever it is called', async () => {
    expect(await verdict({ type: 'constructor' })).toMatch(
      /^error: Unknown check "constructor". Known: file_exists/,
    );
  });
});

describe('test_passes with target auto', () => {
  const auto = { type: 'test_passes', target: 'auto' };

  test('runs npm only with a real test script', async () => {
    write(dir, {
      'package.json': JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }),
    });
    expect(await verdict(auto)).toMatch(/^error: No tests were found/);
    write(dir, { 'package.json': JSON.stringify({ scripts: { test: 'node ok.js' } }), 'ok.js': '' });
    expect(await verdict(auto)).toMatch(/^pass: .*npm test/);
    write(dir, { 'ok.js': 'console.error("broken"); process.exit(1)' });
    const { checks } = await check([auto]);
    expect(checks[0]).toMatchObject({
      status: 'fail',
      output: expect.stringMatching(/npm test.* exited with code 1[\s\S]*broken/),
    });
  });

  test('runs make with a test target', async () => {
    write(dir, { Makefile: 'all:\n\ttrue\n' });
    expect(await verdict(auto)).toMatch(/^error: No tests were found/);
    write(dir, { Makefile: 'all:\n\ttrue\ntest: all\n\t@echo made\n' });
    expect(await verdict(auto)).toMatch(/^pass: `make test`/);
  });

  test.each([
    ['mix', { 'mix.exs': '' }, 'mix test'],
    ['make by any of its names', { GNUmakefile: 'test  :\n' }, 'make test'],
    ['pytest by its own file', { 'pytest.ini': '' }, 'python3 -m pytest'],
    ['pytest by its fixtures', { 'conftest.py': '' }, 'python3 -m pytest'],
    ['pytest in setup.cfg', { 'setup.cfg': '[metadata]\n[tool:pytest]\n' }, 'python3 -m pytest'],
    ['pytest in tox.ini', { 'tox.ini': '[tox]\n[pytest]\n' }, 'python3 -m pytest'],
    ['pytest by its settings', { 'pyproject.toml': '[tool.pytest.ini_options]\n' }, 'python3 -m pytest'],
    ['pytest by its files', { 'tests/test_a.py': '' }, 'python3 -m pytest'],
    ['cargo', { 'Cargo.toml': '' }, 'cargo test'],
    ['go', { 'go.mod': '' }, 'go test'],
  ])('finds %s', async (_name, files, command) => {
    write(dir, Object.fromEntries(Object.entries(files)));
    expect(await detectTestCommand('auto', env)).toContain(command);
  });

  test.each([
    ['a variable of make', { Makefile: 'test := a\nlatest:\n\tpytest: x\n' }],
    ['other settings of Python', { 'pyproject.toml': '# [tool.pytest]\n', 'setup.cfg': 'x = [pytest]\n' }],
    ['an empty script', { 'package.json': '{"scripts":{"test":"  "}}' }],
    ['a folder in place of a file', { 'Makefile/a': '', 'package.json/a': '' }],
    ['no file', {}],
  ])('takes for no tests: %s', async (_name, files) => {
    write(dir, Object.fromEntries(Object.entries(files)));
    expect(await detectTestCommand('auto', env)).toBeUndefined();
  });

  test('a target names a runner, or is the command', async () => {
    expect(await detectTestCommand('go', env)).toBe('go test ./...');
    expect(await detectTestCommand('toString', env)).toBe('toString');
    write(dir, { 'mix.exs': '' });
    expect(await detectTestCommand('', env)).toBe('mix test');
  });

  test('a runner that is not installed is an error, not a failure of the work', async () => {
    expect(await verdict({ type: 'test_passes', target: 'no-such-runner --all' })).toBe(
      'error: `no-such-runner --all` could not be run',
    );
  });

  test('a target that is a command is run as it is', async () => {
    expect(await verdict({ type: 'test_passes', target: 'exit 4' })).toMatch(
      /^fail: `exit 4` exited with code 4/,
    );
  });
});

describe('a run of checks', () => {
  test('counts every step once and tells events for each', async () => {
    const events: ExecutionEvent[] = [];
    const report = await check(
      [
        { type: 'command_succeeds', target: 'true', description: 'it is true' },
        { type: 'file_exists', target: 'nope' },
        { type: 'nonsense' },
      ],
      { onEvent: (event) => void events.push(event), runNumber: 2 },
    );
    expect(report).toMatchObject({
      task_id: 't',
      run_number: 2,
      status: 'fail',
      summary: { total: 3, passed: 1, failed: 1, errors: 1, timed_out: 0 },
    });
    expect(events.map(({ event_type: type, phase, success }) => [type, phase, success])).toEqual([
      ['verification', 'started', undefined],
      ['verification', 'finished', true],
      ['verification', 'started', undefined],
      ['verification', 'finished', false],
      ['verification', 'started', undefined],
      ['verification', 'finished', false],
    ]);
    expect(events[1]?.text).toMatch(/^Check 1\/3: it is true → pass \(\d+ ms\)$/);
  });

  const [passes, fails, errs] = ['true', 'false', ' '].map((target) => ({
    type: 'command_succeeds',
    target,
  }));
  test.each([
    ['pass', [passes, passes]],
    ['error', [passes, errs]],
    ['fail', [errs, fails, passes]],
  ])('is a whole: %s', async (status, steps) => {
    expect(await check(steps.filter((step) => step !== undefined))).toMatchObject({ status });
  });

  test('that is stopped after a check has passed could not be run', async () => {
    const controller = new AbortController();
    const onEvent = ({ phase }: ExecutionEvent): void => {
      if (phase === 'finished') controller.abort();
    };
    const steps = [{ type: 'command_succeeds', target: 'true' }, { type: 'git_clean' }];
    const report = await check(steps, { signal: controller.signal, onEvent });
    expect(report.checks.map(({ status }) => status)).toEqual(['pass', 'skip']);
    expect(report.checks[1]?.output).toBe('Not run: the task was stopped');
    expect(report.status).toBe('error');
  });

  test('does not wait for a check that does not end by itself', async () => {
    const clock = new ManualClock();
    const workspace = { listUncommittedFiles: () => new Promise<string[]>(() => undefined) };
    const running = check([{ type: 'git_clean' }], { workspace, clock, timeoutMs: 1_000 });
    await clock.advance(7_000);
    const report = await running;
    expect(report.checks[0]).toMatchObject({ status: 'timeout', output: 'Not finished within 1000 ms' });
  });

  test('names a check by what it does where it has no name', async () => {
    const texts: string[] = [];
    const onEvent = ({ text }: ExecutionEvent): void => void texts.push(text ?? '');
    await check([{ type: 'git_clean' }], { onEvent });
    expect(texts[0]).toBe('Check 1/1: git_clean');
  });

  test('of nothing is auto_pass', async () => {
    expect(await check([])).toMatchObject({ status: 'auto_pass', checks: [], summary: { total: 0 } });
  });

  test('stays under its total time: a slow check times out, the rest is not run', async () => {
    const report = await check(
      [
        { type: 'command_succeeds', target: 'echo begun; sleep 30' },
        { type: 'command_succeeds', target: 'true' },
      ],
      { timeoutMs: 300 },
    );
    expect(report).toMatchObject({ status: 'timeout', summary: { timed_out: 2 } });
    expect(report.checks[0]?.output).toContain('begun');
    expect(report.checks[1]?.output).toBe('Not run: the time limit of 300 ms for all checks was reached');
    expect(report.duration_ms).toBeLessThan(10_000);
  });

  test('that is stopped skips what is left', async () => {
    const controller = new AbortController();
    const onEvent = (): void => controller.abort();
    const report = await check(
      [
        { type: 'command_succeeds', target: 'sleep 30' },
        { type: 'file_exists', target: 'x' },
      ],
      { signal: controller.signal, onEvent },
    );
    expect(report.checks.map(({ status }) => status)).toEqual(['skip', 'skip']);
    expect(report.status).toBe('skip');
  });

  test('a check that a disk holds up is not waited for, once the task is stopped or its time is over', async () => {
    const stuck = Object.create(env, {
      fileExists: { value: () => new Promise<boolean>(() => undefined) },
      workingDirectory: { value: env.workingDirectory },
    }) as typeof env;
    const step = { type: 'file_exists', target: 'a.txt' };
    for (const isStopped of [true, false]) {
      const clock = new ManualClock();
      const task = new AbortController();
      const ended = verdict(step, { env: stuck, clock, signal: task.signal });
      if (isStopped) task.abort();
      await clock.advance(isStopped ? 5_000 : 25_000);
      expect(await ended).toMatch(
        isStopped ? /^skip: Not finished/ : /^timeout: Not finished within 20000 ms/,
      );
      expect(clock.pending).toBe(0);
    }
  });

  test('keeps the essence of the whole output, also of what is cut out of the report', async () => {
    const output = ['FAIL a.test.js', '  ● early failure', '', '    Expected: 1', '    Received: 2', ''];
    write(dir, {
      'out.txt': [
        ...output,
        ...Array.from({ length: 4_000 }, (_, n) => `noise ${n}`),
        'Tests: 1 failed, 7 passed, 8 total',
      ].join('\n'),
    });
    const seen: string[] = [];
    const report = await check(
      [
        { type: 'command_succeeds', target: 'seq 1 900; cat out.txt; exit 1' },
        { type: 'file_exists', target: 'x' },
      ],
      {
        onCheck: ({ target }, essence) => seen.push(`${target}: ${essence?.failed[0]?.expected}`),
      },
    );
    expect(report.checks[0]?.output).not.toContain('early failure');
    expect(report.checks[0]?.essence).toEqual({
      runner: 'Jest',
      passed: 7,
      failed: ['early failure'],
      errors: [],
      text: 'Jest: 1 failed, 7 passed\nFAIL early failure\n  expected 1, got 2',
    });
    expect(report.checks[1]?.essence).toBeUndefined();
    expect(seen).toEqual(['seq 1 900; cat out.txt; exit 1: 1', 'x: undefined']);
  });

  test('bounds outputs, keeping the beginning and the end', async () => {
    const { checks } = await check([{ type: 'command_succeeds', target: 'seq 1 100000; exit 1' }]);
    expect(checks[0]?.output.length).toBeLessThan(6_200);
    expect(checks[0]?.output).toMatch(/^`seq[\s\S]*characters omitted[\s\S]*\n100000$/);
  });
});
