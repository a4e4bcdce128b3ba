import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { describeWith } from '../support/requirements.ts';
import { say } from '../support/scripted-model.ts';
import { smallDisk } from '../support/small-disk.ts';
import {
  commandLine,
  endless,
  jsonLines,
  NAP,
  processesWith,
  repair,
  untilRunning,
  type CommandLine,
} from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli.close());

/** Folders of tasks; the worker's own folder beside them is always there. */
const workspacesLeft = async (): Promise<string[]> =>
  (await readdir(join(cli.stateDir, 'runs/1/worktrees'))).filter((name) => !name.startsWith('.'));

describe('run', () => {
  test('a task on a repository ends with 0, JSON lines in a pipe, and a branch to merge', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    const done = await cli.run(['run', 'repair a.txt', '--repo', repo, '--verify', 'grep good a.txt']);
    expect(done).toMatchObject({ code: 0 });
    const lines = jsonLines(done.stdout);
    const last = lines.at(-1) as { status: string; task_id: string; result: Record<string, unknown> };
    expect(last.result).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(lines.some(({ kind }) => kind === 'execution')).toBe(true);
    const shown = await execa('git', ['show', `sidecar/${last.task_id}:a.txt`], { cwd: repo });
    expect(shown.stdout).toBe('good');
    expect(done.stderr).toMatch(/^WARNING: the sandbox is off/mu);
    expect(done.stderr).toMatch(/scripted model/u);
  });

  test('reads well for a person: timeline, verdict, diff, how to take the work, and edits that it did not see', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    await writeFile(join(repo, 'a.txt'), 'worse\n');
    const { code, stdout } = await cli.run(['run', 'repair a.txt', '--repo', repo, '--no-json']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/1\. ✓ read_file a\.txt → OK/u);
    expect(stdout).toMatch(/2\. ✓ edit_file a\.txt → OK/u);
    expect(stdout).toContain('SUCCESS (unverified)');
    expect(stdout).toMatch(/^ {2}No checks ran: .+ --verify "npm test"\.$/mu);
    expect(stdout).not.toContain('✗');
    expect(stdout).toMatch(/^ {2}-bad\n {2}\+good$/mu);
    expect(stdout).toMatch(new RegExp(`git -C ${repo} merge sidecar/task-`, 'u'));
    expect(stdout).toContain('uncommitted edits; they are not part of this task');
  });

  test('without --repo the folder is meant, and reported; --no-repo is for none', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    const inside = join(repo, 'deep/er');
    await mkdir(inside, { recursive: true });
    await writeFile(join(inside, 'a.txt'), 'bad\n');
    const git = (...args: string[]) => execa('git', args, { cwd: repo });
    await git('add', '--all');
    await git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-q', '-m', 'Inner');
    const done = await cli.run(['run', 'repair a.txt', '--verify', 'grep good a.txt'], {}, inside);
    expect(done.code).toBe(0);
    expect(done.stderr).toContain(`Working on the folder deep/er of the repository ${repo}`);
    const [last] = jsonLines(done.stdout).slice(-1) as { task_id: string }[];
    const shown = await git('show', `sidecar/${last?.task_id}:deep/er/a.txt`);
    expect(shown.stdout).toBe('good');
    const without = await cli.run(['run', 'repair a.txt', '--no-repo', '--agentic'], {}, inside);
    expect(without.stderr).not.toContain('Working on');
  });

  test('a success that is not verified ends with 3 where --require-verified is given', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    const args = ['run', 'repair a.txt', '--repo', repo, '--require-verified'];
    const unverified = await cli.run(args);
    expect([unverified.code, unverified.stderr]).toEqual([
      3,
      expect.stringMatching(/^The result is unverified, .+ exit code 3\.$/mu),
    ]);
    expect((await cli.run([...args, '--verify', 'grep good a.txt'])).code).toBe(0);
  });

  test('a partial result ends with 3, and what remains can be run from the kept file', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    const verify = ['--verify', 'grep good a.txt', '--verify', 'test -e b.txt'];
    const first = await cli.run(['run', 'repair a.txt', '--repo', repo, '--no-json', ...verify]);
    expect(first.code).toBe(3);
    const file = /ollama-sidecar run --file (\S+)/u.exec(first.stdout)?.[1] ?? '';
    expect(file).toContain(cli.stateDir);
    const second = await cli.run(['run', '--file', file]);
    const { result } = jsonLines(second.stdout).at(-1) as { result: { changes: { base_commit: string } } };
    const head = await execa('git', ['rev-list', '--all'], { cwd: repo });
    expect(head.stdout).toContain(result.changes.base_commit);
  });

  test('the files of a task without a repository can be applied, and cloned while their cache is there', async () => {
    cli = await commandLine({
      turns: [
        {
          reply: {
            tool_calls: [{ name: 'write_file', arguments: { file_path: 'b.txt', content: 'new\n' } }],
          },
        },
        { ...say('That is all.'), repeat: 'always' },
      ],
    });
    const checks = ['--verify', 'test -e b.txt', '--verify', 'test -e c.txt'];
    const run = ['run', 'write b.txt', '--no-repo', '--agentic', '--no-json', ...checks];
    const { code, stdout } = await cli.run(run);
    expect([code, stdout]).toEqual([3, expect.stringContaining('are in no repository.')]);
    const [, id = ''] = /^ {4}ollama-sidecar apply (\S+)$/mu.exec(stdout) ?? [];
    const [, clone = ''] = /^ {4}git (clone .*) DIR$/mu.exec(stdout) ?? [];
    const repo = await cli.repository();
    expect(await cli.run(['apply', id], {}, repo)).toMatchObject({ code: 0 });
    await execa('git', [...clone.split(' '), 'cloned'], { cwd: repo });
    for (const folder of ['.', 'cloned'])
      expect(await readFile(join(repo, folder, 'b.txt'), 'utf8')).toBe('new\n');
    expect((await cli.run(['show', id, '--no-json'])).stdout).toContain(`git ${clone} DIR`);
  });

  test('a task is tried again by the next model of the ladder that is installed', async () => {
    cli = await commandLine({
      models: [{ name: 'm' }, { name: 'large' }],
      rules: [{ when: { model: 'm' }, ...say('That is all.') }],
      ...repair,
    });
    const repo = await cli.repository();
    const options = ['--verify', 'grep good a.txt', '--attempts', '2', '--ladder', 'm,large', '--no-json'];
    const { code, stdout } = await cli.run(['run', 'repair a.txt', '--repo', repo, ...options]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Attempt 1 of at most 2 with m$/mu)]);
    expect(stdout).toMatch(
      /Attempt 2 of at most 2 with large: attempt 1 did not solve the task \(0 of 1 checks pass/u,
    );
    expect(stdout).toContain('Attempt 2 (large) passes the checks.');
    expect(stdout).toMatch(/^ {2}-bad\n {2}\+good$/mu);
  });

  test('a task that fails ends with 1 and says why', async () => {
    cli = await commandLine({ turns: [say('')] });
    const { code, stdout } = await cli.run(['run', 'x', '--simple', '--no-json']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAILED {2}x\n {2}the model gave no usable answer after 1 iteration/mu);
  });

  test('a model for which the server has too little memory: 7', async () => {
    cli = await commandLine({
      models: [{ name: 'm', loadError: { times: 'always' } }],
      turns: [say('never')],
    });
    const { code, stdout } = await cli.run(['run', 'x', '--simple', '--no-json']);
    expect(code).toBe(7);
    expect(stdout).toMatch(/model_out_of_memory: .*21\.3 GiB.*Use a smaller model/u);
  });

  test('a model that refuses its call: the reason is told once', async () => {
    cli = await commandLine({
      turns: [{ reply: {}, faults: [{ kind: 'status', status: 400, times: 'always' }] }],
    });
    const repo = await cli.repository();
    const { stdout } = await cli.run(['run', 'x', '--repo', repo, '--verify', 'false', '--no-json']);
    const ending = stdout.slice(stdout.indexOf('\nFAILED'));
    expect(ending).toMatch(/^\nFAILED {2}x\n/u);
    expect(ending.match(/model_request_refused/gu)).toHaveLength(1);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s cancels the task, ends with %i and leaves nothing behind', async (signal, code) => {
    cli = await commandLine(endless);
    const repo = await cli.repository();
    const running = cli.start(['run', 'x', '--repo', repo, '--no-json']);
    await untilRunning(NAP);
    running.kill(signal);
    const ended = await running.ended;
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain('Cancelling the task');
    expect(await processesWith(NAP)).toEqual([]);
    expect(await workspacesLeft()).toEqual([]);
    expect(await readdir(cli.dir)).not.toContain('hub.json');
    expect((await cli.run(['show', 'last', '--no-json'])).stdout).toMatch(/\nCANCELLED /u);
  });

  test('a second signal leaves at once, and the command that ran is ended', async () => {
    cli = await commandLine(endless);
    const running = cli.start(['run', 'x', '--no-repo', '--agentic', '--no-json']);
    await untilRunning(NAP);
    running.kill('SIGINT');
    await running.untilNote(/Cancelling/u);
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(await processesWith(NAP)).toEqual([]);
  });

  test('a reader that leaves ends the task in good order: no stack, nothing left behind', async () => {
    cli = await commandLine(endless);
    const repo = await cli.repository();
    const running = cli.start(['run', 'x', '--repo', repo, '--json']);
    await running.until(/\n/u);
    running.child.stdout?.destroy();
    const ended = await running.ended;
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({
      code: 141,
      stderr: expect.stringContaining('stdout was closed: cancelling the task'),
    });
    expect(ended.stderr).not.toMatch(/^\s+at /mu);
    expect(await processesWith(NAP)).toEqual([]);
    expect(await workspacesLeft()).toEqual([]);
  });

  test('a full disk below its output ends it as a failure, and says so', async () => {
    cli = await commandLine(repair);
    const command = [process.execPath, resolve('dist/cli.js'), 'run', 'x', '--no-repo', '--json'];
    const options = { env: cli.env, extendEnv: false, reject: false };
    const ended = await execa('sh', ['-c', 'exec "$@" > /dev/full', 'sh', ...command], options);
    expect([ended.exitCode, ended.stderr]).toEqual([1, expect.stringContaining('"output_failed"')]);
  });

  test('what a killed one left, a command and its temporary files, the next one removes', async () => {
    cli = await commandLine({
      scripts: [
        { name: 'endless', when: { firstUser: 'endless' }, turns: endless.turns ?? [] },
        { name: 'short', turns: [say('fine')] },
      ],
    });
    const TMPDIR = join(cli.dir, 'tmp');
    await mkdir(TMPDIR);
    const killed = cli.start(['run', 'endless', '--no-repo', '--agentic'], { TMPDIR });
    await untilRunning(NAP);
    killed.kill('SIGKILL');
    await killed.ended;
    expect((await readdir(TMPDIR)).length).toBeGreaterThan(0);
    expect((await cli.start(['run', 'x', '--simple'], { TMPDIR }).ended).code).toBe(0);
    expect([await readdir(TMPDIR), await processesWith(NAP)]).toEqual([[], []]);
  });

  test('two at once and one after them: each has a state folder, which is used again', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    const args = ['run', 'repair a.txt', '--repo', repo];
    const both = await Promise.all([cli.start(args).ended, cli.start(args).ended]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect((await cli.run(args)).code).toBe(0);
    expect((await readdir(join(cli.stateDir, 'runs'))).length).toBeLessThanOrEqual(2);
  });

  test('takes a task from a file, with the options above it', async () => {
    cli = await commandLine({ turns: [say('fine')] });
    const file = join(cli.dir, 'task.json');
    await writeFile(file, JSON.stringify({ description: 'from the file', agentic: true }));
    const { code, stdout } = await cli.run(['run', '--file', file, '--simple', '--no-json']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('from the file')]);
  });
});

describeWith('small disks', 'demo', () => {
  test('a full disk below its temporary files ends it with the reason', async () => {
    cli = await commandLine(repair);
    const TMPDIR = join(cli.dir, 'tmp');
    const disk = await smallDisk(TMPDIR, '1m');
    disk.fill();
    const [program, ...words] = [...disk.wrapper, process.execPath, resolve('dist/cli.js'), 'demo'];
    const options = { env: { ...cli.env, TMPDIR }, extendEnv: false, reject: false };
    const ended = await execa(program, words, options);
    expect([ended.exitCode, ended.stderr]).toEqual([6, expect.stringMatching(/TMPDIR \(now \S+tmp\)\.$/u)]);
    expect(ended.stderr).not.toMatch(/^\s+at /mu);
  });
});
