import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import {
  detectGroups,
  createGroup,
  prepareGroups,
  wrapInGroup,
} from '../../../sidecar/workspace/commands/command-group.ts';
import type { LocalExecutionEnvironmentOptions } from '../../../sidecar/workspace/local-environment.ts';
import { describeWith } from '../../support/requirements.ts';
import { countOf } from '../../support/scale.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';
import { refusal, withWorkspace } from '../../support/workspace-fixture.ts';

/** Programs with arguments that no shell reads, and programs that are spoken to while they run. */
const HOSTILE = [
  '$(touch owned)',
  '`touch owned`',
  '; touch owned',
  '',
  "it's",
  '"',
  '-n',
  '*',
  '~',
  'a\nb',
  '$HOME',
];
const ECHO_ARGUMENTS = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';

describe('a program', () => programTests({ sandbox: 'off' }));
describeWith('bubblewrap', 'a program in the sandbox', () => programTests({ sandbox: 'required' }));

function programTests(options: Partial<LocalExecutionEnvironmentOptions>): void {
  test('gets its arguments as they are', async () => {
    await withWorkspace(options, async ({ env }) => {
      const result = await env.execProgram(['node', '-e', ECHO_ARGUMENTS, '--', ...HOSTILE]);
      expect(result.exitCode).toBe(0);
      expect(JSON.parse(result.stdout)).toEqual(HOSTILE);
      expect(await env.fileExists('owned')).toBe(false);
    });
  });

  test('that is not there ends with 127', async () => {
    await withWorkspace(options, async ({ env }) => {
      const result = await env.execProgram(['no-such-program', 'a']);
      expect(result).toMatchObject({ exitCode: 127, timedOut: false });
      expect(result.stderr).toContain('no-such-program');
    });
  });

  test('is spoken to, gets its own variables, and ends when it is stopped', async () => {
    await withWorkspace(options, async ({ env, workspace }) => {
      await writeFile(
        join(workspace, 'echo.mjs'),
        `process.stdout.write(process.env.ANSWER);
         process.stdin.on('data', (chunk) => process.stdout.write(String(chunk).toUpperCase()));`,
      );
      let heard = '';
      const program = await env.startProgram(['node', 'echo.mjs'], {
        variables: { ANSWER: '42' },
        onStdout: (chunk) => {
          heard += String(chunk);
        },
      });
      program.write('hello');
      await until(() => heard === '42HELLO', 'the answer');
      await program.stop();
      await program.stop();
      expect(await program.ended).toMatchObject({ exitCode: null, aborted: true });
      program.write('nobody hears this');
    });
  });

  test('that ends by itself says how, with what it wrote to stderr', async () => {
    await withWorkspace(options, async ({ env }) => {
      const program = await env.startProgram(['node', '-e', 'console.error("no key"); process.exit(3)'], {
        onStdout: () => undefined,
      });
      expect(await program.ended).toMatchObject({ exitCode: 3, stderr: 'no key\n', aborted: false });
    });
  });

  test('is ended with its environment, also one that ignores SIGTERM', async () => {
    await withWorkspace(options, async ({ env }) => {
      let heard = '';
      const code = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")';
      const program = await env.startProgram(['node', '-e', code], {
        onStdout: (chunk) => {
          heard += String(chunk);
        },
      });
      await until(() => heard === 'up\n', 'its start');
      await env.cleanup();
      expect(await program.ended).toMatchObject({ exitCode: null, signal: 'SIGKILL', aborted: true });
    });
  });
}

test('an argument with a NUL character is refused', async () => {
  await withWorkspace({}, async ({ env }) => {
    expect(await refusal(env.execProgram(['echo', 'a\0b']))).toBe('COMMAND_DENIED');
    const start = env.startProgram(['echo', 'a\0b'], { onStdout: () => undefined });
    expect(await refusal(start)).toBe('COMMAND_DENIED');
  });
});

/** Control groups for commands: found and made on a tree of ordinary files, entered by real processes. */
describe('command group', () => {
  const folder = tempFolders();

  /** Files as the kernel shows them for a group that is delegated. */
  function delegated(controllers = 'cpu memory pids') {
    const treeFolder = folder();
    const selfFile = join(treeFolder, 'self');
    const own = join(treeFolder, 'system.slice/worker.service');
    mkdirSync(own, { recursive: true });
    writeFileSync(selfFile, '12:pids:/x\n0::/system.slice/worker.service\n');
    writeFileSync(join(own, 'cgroup.controllers'), `${controllers}\n`);
    for (const name of ['cgroup.procs', 'cgroup.subtree_control']) writeFileSync(join(own, name), '');
    return { treeFolder, selfFile, own };
  }

  describe('where groups can be made', () => {
    test('is the group of this process, if it is delegated', () => {
      const { treeFolder, selfFile, own } = delegated();
      expect(detectGroups({ treeFolder, selfFile })).toEqual({ available: true, folder: own });
    });

    test('stays the same when the worker has moved into a group of its own', () => {
      const { treeFolder, selfFile, own } = delegated();
      writeFileSync(selfFile, '0::/system.slice/worker.service/ollama-sidecar-worker\n');
      expect(detectGroups({ treeFolder, selfFile })).toEqual({ available: true, folder: own });
    });

    test('is nowhere without the controllers, without cgroup v2, and where nothing may be written', () => {
      const { treeFolder, selfFile } = delegated('cpu');
      expect(detectGroups({ treeFolder, selfFile })).toMatchObject({
        reason: expect.stringContaining('memory and pids'),
      });
      expect(detectGroups({ treeFolder, selfFile: join(treeFolder, 'none') })).toMatchObject({
        reason: expect.stringContaining('no cgroup v2'),
      });
      const other = delegated();
      chmodSync(join(other.own, 'cgroup.procs'), 0o400);
      const asked = detectGroups(other);
      // Root may write whatever the mode says.
      if (process.getuid?.() !== 0)
        expect(asked).toMatchObject({ reason: expect.stringContaining('delegated') });
    });
  });

  test('the worker moves out of the way before the controllers are switched on', () => {
    const { treeFolder, selfFile, own } = delegated();
    mkdirSync(join(own, 'commands-1-left'));
    mkdirSync(join(own, 'ollama-sidecar-worker'));
    writeFileSync(join(own, 'cgroup.procs'), '4711\n');
    expect(prepareGroups(detectGroups({ treeFolder, selfFile }))).toEqual({
      available: true,
      folder: own,
    });
    expect(readFileSync(join(own, 'ollama-sidecar-worker/cgroup.procs'), 'utf8')).toBe('4711');
    expect(readFileSync(join(own, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
    expect(existsSync(join(own, 'commands-1-left'))).toBe(false);
  });

  test('a group has the limits, counts what ran out of memory, and is refused without a throw', () => {
    const { own } = delegated();
    const group = createGroup(own, 'a', { maxMemoryBytes: 64_000_000, maxProcesses: 64 });
    const at = (name: string) => join(own, 'commands-a', name);
    const values = ['memory.max', 'pids.max', 'memory.oom.group', 'memory.swap.max'].map((name) =>
      readFileSync(at(name), 'utf8'),
    );
    expect(values).toEqual(['64000000', '64', '1', '0']);
    expect(group?.countMemoryKills()).toBe(0);
    writeFileSync(at('memory.events'), 'low 0\noom 3\noom_kill 2\noom_group_kill 1\n');
    expect(group?.countMemoryKills()).toBe(2);
    expect(createGroup(join(own, 'missing'), 'a', { maxMemoryBytes: 1, maxProcesses: 1 })).toBeUndefined();
  });

  test('a command enters the group before it begins, and runs without one too', () => {
    const entry = join(folder(), 'cgroup.procs');
    const [file, ...args] = wrapInGroup(entry, ['printf', '%s', "it's $HOME"]);
    expect(execFileSync(file, args, { encoding: 'utf8' })).toBe("it's $HOME");
    expect(readFileSync(entry, 'utf8')).toBe('0\n');
    const [other, ...rest] = wrapInGroup(join(folder(), 'no/such'), ['printf', 'ran']);
    expect(execFileSync(other, rest, { encoding: 'utf8', stdio: 'pipe' })).toBe('ran');
  });
});

/** Many commands, four at a time: each is whole, and no process is left. */
const RUNS = countOf('COMMAND_RUNS', { quick: 48, full: 2_000 });
const CONTENT = 'line of text\n'.repeat(158);
/** The processes around a command may need a moment to end after it. */
const END_MS = 10_000;

async function manyCommands(sandbox: 'off' | 'required'): Promise<void> {
  const before = await children();
  await withWorkspace({ sandbox }, async ({ env, put }) => {
    await put('workspace/file.txt', CONTENT);
    for (let run = 0; run < RUNS; run += 4) {
      const results = await Promise.all([0, 1, 2, 3].map(() => env.execCommand('cat file.txt')));
      for (const { stdout, exitCode } of results) expect([stdout === CONTENT, exitCode]).toEqual([true, 0]);
    }
  });
  const giveUpMs = performance.now() + END_MS;
  let left = await children();
  while (left.some((pid) => !before.includes(pid)) && performance.now() < giveUpMs) {
    await delay(20);
    left = await children();
  }
  expect(left.filter((pid) => !before.includes(pid))).toEqual([]);
}

/** Living children of this process and of its launcher. */
async function children(): Promise<string[]> {
  const { stdout } = await execa('ps', ['-eo', 'pid=,ppid=,stat=,comm=']);
  const own = String(process.pid);
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/u));
  const isLauncher = ([, parent, , name = '']: string[]): boolean =>
    parent === own && name.startsWith('ollama-sidecar');
  const parents = [own, ...rows.filter(isLauncher).map(([pid]) => pid)];
  return rows
    .filter((row) => parents.includes(row[1]) && row[2] !== 'Z' && row[3] !== 'ps' && !isLauncher(row))
    .map(([pid = '']) => pid);
}

test('many commands without a sandbox: all whole, nothing left', () => manyCommands('off'), 300_000);

describeWith('bubblewrap', 'in the sandbox', () => {
  test('many commands: all whole, nothing left', () => manyCommands('required'), 300_000);
});
