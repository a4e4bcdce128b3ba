/**
 * What a task's commands may use up: processes, memory, files, disk, output. Limits are tight, so that nothing here is
 * felt by the machine; after each attempt another environment still runs its commands.
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandLimits } from '../../../sidecar/workspace/commands/command-runner.ts';
import { LocalExecutionEnvironment } from '../../../sidecar/workspace/local-environment.ts';
import { describeWith } from '../../support/requirements.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const folder = tempFolders();
const opened: LocalExecutionEnvironment[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((env) => env.cleanup()));
});

const MIB = 1024 ** 2;

function environment(sandbox: 'off' | 'required', more: CommandLimits = {}) {
  const workspace = join(folder(), 'workspace');
  mkdirSync(workspace);
  const env = new LocalExecutionEnvironment({
    workspace,
    sandbox,
    limits: {
      maxProcesses: 64,
      maxMemoryBytes: 96 * MIB,
      maxFileBytes: 8 * MIB,
      maxOutputBytes: MIB,
      ...more,
    },
  });
  opened.push(env);
  return { env, workspace };
}

/** Another slot's command, and how many processes of the attempt are left. */
async function afterwards(sandbox: 'off' | 'required', sign: string): Promise<void> {
  const { env } = environment(sandbox);
  expect((await env.execCommand('echo works')).stdout).toBe('works\n');
  const left = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && commandLineOf(name).includes(sign),
  );
  expect(left).toEqual([]);
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** Holds 40 MB in memory until it is ended: without a line end tail keeps what it reads. */
const HOG = '(head -c 40M /dev/zero; sleep 60) | tail > /dev/null';

function attempts(sandbox: 'off' | 'required'): void {
  test('more processes than allowed end the command, and nothing of it is left', async () => {
    const sign = `sleep 76${process.pid}`;
    const { env } = environment(sandbox);
    const command = `for n in $(seq 100); do ${sign} & done; wait`;
    const result = await env.execCommand(command, { timeoutMs: 60_000 });
    expect(result.timedOut).toBe(false);
    // The kernel refuses them where it counts a user's processes for each sandbox.
    expect(result.output).toMatch(/more than 64 processes|Resource temporarily unavailable|retry/);
    await afterwards(sandbox, sign.replace(' ', '\0'));
  }, 120_000);

  test('memory of many processes together is bounded, although each alone is below the limit', async () => {
    const { env } = environment(sandbox);
    const result = await env.execCommand(`${HOG} & ${HOG} & ${HOG} & wait`, { timeoutMs: 60_000 });
    expect(result).toMatchObject({ timedOut: false });
    expect(result.output).toContain('used more than 96 MiB of memory together');
    expect(result.stopped).toBe('its processes used more than 96 MiB of memory together');
    await afterwards(sandbox, 'no such');
  }, 120_000);

  test('one file has a largest size, written or sparse', async () => {
    const { env, workspace } = environment(sandbox);
    const result = await env.execCommand(
      'head -c 20M /dev/zero > real; truncate -s 100G sparse; dd if=/dev/zero of=end bs=1 count=1 seek=100G; echo went on',
    );
    expect(result.stdout).toContain('went on');
    const sizes = ['real', 'sparse', 'end'].map(
      (name) => lstatSync(join(workspace, name), { throwIfNoEntry: false })?.size ?? 0,
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8 * MIB);
    await afterwards(sandbox, 'no such');
  });

  test('a machine that is out of memory ends commands first', async () => {
    const { env } = environment(sandbox);
    const { stdout } = await env.execCommand('cat /proc/self/oom_score_adj');
    // In the sandbox of root nothing of /proc can be written.
    const isKept = sandbox === 'required' && process.getuid?.() === 0;
    if (!isKept) expect(stdout).toBe('1000\n');
    expect(readFileSync('/proc/self/oom_score_adj', 'utf8')).not.toBe('1000\n');
  });

  test('the folder of a task and its /tmp hold only so much together', async () => {
    const { env } = environment(sandbox, { maxDiskBytes: 24 * MIB });
    const result = await env.execCommand(
      'for n in 1 2 3 4 5 6; do head -c 6M /dev/zero > $n; head -c 6M /dev/zero > "$TMPDIR/$n"; done; sleep 60',
      { timeoutMs: 60_000 },
    );
    expect(result.output).toContain("the task's folder and /tmp exceed 24 MiB");
    await afterwards(sandbox, 'no such');
  }, 120_000);

  test('output without an end is kept up to its limit', async () => {
    const { env } = environment(sandbox);
    const result = await env.execCommand('head -c 20M /dev/zero | tr "\\0" x');
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stdout.length).toBeLessThan(1.1 * MIB);
    expect(result.droppedBytes).toBeGreaterThan(18 * MIB);
  });
}

describeWith('bubblewrap', 'in the sandbox', () => attempts('required'));
describe('without one', () => attempts('off'));
