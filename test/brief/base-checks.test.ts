import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { runBaseChecks } from '../../sidecar/brief/base-checks.ts';
import type { BaseChecksOptions } from '../../sidecar/brief/base-checks.ts';
import { verificationStepSchema } from '../../sidecar/protocol/task.ts';
import { systemClock } from '../../sidecar/system/clock.ts';
import { localEnvironments } from '../support/local-environments.ts';
import { git, write } from '../workspace/repositories.ts';

const environment = localEnvironments();

/** A repository that is restored as a worktree is: by git. */
function prepared(commands: readonly string[], more: Partial<BaseChecksOptions> = {}) {
  const env = environment();
  const dir = env.workingDirectory;
  write(dir, { 'a.txt': 'as it was\n' });
  git(dir, 'init', '-q');
  git(dir, 'add', '-A');
  git(dir, 'commit', '-qm', 'base');
  const restored: string[] = [];
  const options: BaseChecksOptions = {
    steps: commands.map((target) => verificationStepSchema.parse({ type: 'command_succeeds', target })),
    env,
    workspace: {},
    clock: systemClock,
    taskId: 't',
    restore: async () => {
      restored.push('once');
      git(dir, 'reset', '-q', '--hard');
      git(dir, 'clean', '-fdqx');
    },
    timeoutMs: 20_000,
    ...more,
  };
  return { dir, options, restored };
}

describe('checks on the untouched tree', () => {
  test('say what fails, with its essence, and leave the tree as it was', async () => {
    const { dir, options, restored } = prepared([
      "echo changed > a.txt; echo new > b.txt; printf 'TAP version 13\\nnot ok 1 - adds\\n# pass 3\\n'; exit 1",
      'true',
    ]);
    const { checks, finished } = await runBaseChecks(options);
    expect(checks.map(({ passed, essence }) => [passed, essence?.failed[0]?.name, essence?.passed])).toEqual([
      [false, 'adds', 3],
      [true, undefined, undefined],
    ]);
    const { report } = await finished;
    expect([report.status, report.summary]).toEqual([
      'fail',
      { total: 2, passed: 1, failed: 1, errors: 0, timed_out: 0 },
    ]);
    expect(restored).toEqual(['once']);
    expect(existsSync(join(dir, 'b.txt'))).toBe(false);
    expect(git(dir, 'status', '--porcelain')).toBe('');
  });

  test('a slow one is not waited for; it ends later', async () => {
    const { dir, options, restored } = prepared(
      ['true', 'until [ -e go ]; do sleep 0.05; done; echo late; exit 3'],
      {
        patienceMs: 700,
      },
    );
    const { checks, finished } = await runBaseChecks(options);
    expect([checks.map(({ passed }) => passed), restored]).toEqual([[true], []]);
    write(dir, { go: '' });
    const { report } = await finished;
    expect(report.checks.map(({ status }) => status)).toEqual(['pass', 'fail']);
    expect(report.checks[1]?.essence?.text).toContain('late');
    expect(restored).toEqual(['once']);
  });

  test('one that hangs is ended, and the ones behind it are told', async () => {
    const { options, restored } = prepared(['sleep 600', 'true'], { timeoutMs: 800 });
    const { checks, finished } = await runBaseChecks(options);
    expect(checks.map(({ passed }) => passed)).toEqual([false, false]);
    expect((await finished).report.status).toBe('timeout');
    expect(restored).toEqual(['once']);
  });

  test('one that prints 50 MB costs its ends', async () => {
    const { options } = prepared(["yes 'a line of noise' | head -c 50000000; echo 'fatal: the end'; exit 1"]);
    const { checks } = await runBaseChecks(options);
    expect(checks[0]?.essence?.text).toContain('fatal: the end');
    expect(checks[0]?.essence?.text.length).toBeLessThanOrEqual(1_800);
  });

  test('none at all, and a task that was stopped', async () => {
    const none = prepared([]);
    expect(await (await runBaseChecks(none.options)).finished).toMatchObject({
      report: { status: 'auto_pass' },
    });
    const stopped = prepared(['true'], { signal: AbortSignal.abort() });
    const { finished } = await runBaseChecks(stopped.options);
    expect((await finished).report.checks.map(({ status }) => status)).toEqual(['skip']);
    expect(stopped.restored).toEqual(['once']);
  });
});
