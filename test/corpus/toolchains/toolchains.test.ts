/**
 * Machines as people have them: each project needs an interpreter, a store or a cache that lies outside of it, and its task goes
 * through the whole worker with a scripted model under bubblewrap. And what projects name in order to see more.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { findToolchains } from '../../../sidecar/workspace/commands/toolchains.ts';
import { LocalExecutionEnvironment } from '../../../sidecar/workspace/local-environment.ts';
import type { TaskResult } from '../../../sidecar/base/protocol/result.ts';
import { describeWith } from '../../support/requirements.ts';
import { call, say } from '../../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../../support/sidecar.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import { cleanUp, git, repository, temporaryFolder, write } from '../../workspace/repositories.ts';
import { attacks, python, SECRET } from './attacks.ts';
import { projects, runner } from './projects.ts';

const LEFT_OUT = /^(?:GO|CARGO_HOME|PYENV|PNPM|XDG_|VIRTUAL_ENV|UV_|MAVEN|PYTHON)/;

describeWith('bubblewrap', 'a project that needs', () => {
  let system: TestSystem;
  let home: string;
  let variables: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const own = compilers();
    home = realpathSync(mkdtempSync(join(tmpdir(), 'home-of-someone-')));
    for (const name of Object.keys(process.env)) if (LEFT_OUT.test(name)) delete process.env[name];
    process.env.HOME = home;
    // Java asks the system, not HOME.
    process.env.MAVEN_OPTS = `-Duser.home=${home}`;
    // Its owner runs compilers themselves, not scripts that choose one by the home folder.
    variables = { ...process.env, PATH: [...own, process.env.PATH].join(':') };
    // A service has the system and the compilers, no Python of the home folder.
    const program = dirname(process.execPath);
    process.env.PATH = [...own, program, '/usr/local/bin', '/usr/bin', '/bin'].join(':');
    system = await startSystem({
      turns: [call('write_file', { file_path: 'done.txt', content: 'done\n' }), say('It is done.')],
    });
    await system.worker('w', { sandbox: { mode: 'required' } });
  }, 60_000);
  afterAll(async () => {
    await system?.cleanup.close();
    rmSync(home, { recursive: true, force: true });
    cleanUp();
  });

  /** The result of a task in `repo` and all that was said on the way. */
  async function resultOf(repo: string, check: string): Promise<{ result: TaskResult; said: string }> {
    const { task_id } = await system.client.submit({
      description: 'Write done.txt',
      repo,
      verification_steps: [{ type: 'command_succeeds', target: `test -f done.txt && ${check}` }],
    });
    let said = '';
    const ended = await system.untilEnded(task_id, ({ body }) => void (said += JSON.stringify(body)));
    return { result: ended.result as TaskResult, said };
  }

  for (const { name, needs, make, check } of projects) {
    describeWith(needs, name, () => {
      test('has its checks pass', async () => {
        const repo = temporaryFolder();
        make({ repo, home, run: runner(repo, variables) });
        git(repo, 'init', '-q', '-b', 'main');
        git(repo, 'add', '-A');
        git(repo, 'commit', '-qm', 'base');
        const { result } = await resultOf(repo, check);
        expect(result).toMatchObject({ verification_status: 'verified' });
      });
    });
  }

  test('a package elsewhere is told how to install it', async () => {
    const repo = repository({ '.gitignore': 'node_modules\n' });
    const elsewhere = temporaryFolder();
    write(elsewhere, { 'package.json': '{}' });
    mkdirSync(join(repo, 'node_modules'));
    execFileSync('ln', ['-s', elsewhere, join(repo, 'node_modules/left')]);
    const { said } = await resultOf(repo, 'true');
    expect(said).toContain(`node_modules/left is a link to ${elsewhere}, outside the project`);
    expect(said).toContain('install-links=true, pnpm: enableGlobalVirtualStore: false');
  });
});

/** Where `go`, `cargo` and `mvn` themselves are, not the scripts that choose a version. */
function compilers(): string[] {
  const asked = [
    ['go', 'env', 'GOROOT'],
    ['rustc', '--print', 'sysroot'],
  ];
  return asked.flatMap(([program = '', ...args]) => {
    try {
      return join(execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' }).trim(), 'bin');
    } catch {
      return [];
    }
  });
}

describe('a project gets nothing by', () => {
  const folder = tempFolders();

  test.each(attacks)('$name', async ({ make, target }) => {
    const base = realpathSync(folder());
    const [repo, home, state] = ['repo', 'home', 'state'].map((name) => join(base, name)) as [
      string,
      string,
      string,
    ];
    for (const path of [repo, home, state]) mkdirSync(path);
    write(home, { '.ssh/id': SECRET, '.aws/credentials': SECRET });
    make({ repo, home, state });
    const secrets = target?.({ repo, home, state }) ?? `${home}/.ssh ${home}/.aws`;
    const shared = ['.venv', 'node_modules'].map((name) => ({
      source: join(repo, name),
      path: join(repo, name),
    }));
    const found = await findToolchains({
      root: repo,
      sharedFolders: shared,
      hiddenPaths: [state],
      readablePaths: [],
      home,
      variables: {},
    });
    const readOnlyPaths = found.readablePaths;
    const env = new LocalExecutionEnvironment({
      workspace: repo,
      sandbox: 'auto',
      readOnlyPaths,
      hiddenPaths: [state],
    });
    const { sandboxed } = await env.readSandboxStatus();
    const { output } = await env.execCommand(
      `grep -rs ${SECRET} ${secrets}; grep -rs ${SECRET} ${readOnlyPaths.join(' ')} .; echo`,
    );
    await env.cleanup();
    if (sandboxed) expect(output).not.toContain(SECRET);
    expect(`${found.advice.join()} ${JSON.stringify(found.variables)}`).not.toMatch(/\.ssh|\.aws|state/);
  });

  test('a `pyvenv.cfg` of spaces, which is read at once', async () => {
    const root = realpathSync(folder());
    write(root, { '.venv/pyvenv.cfg': `home = /${' '.repeat(60_000)}x\n` });
    const beganMs = performance.now();
    const place = { root, sharedFolders: [], hiddenPaths: [], readablePaths: [], home: root, variables: {} };
    expect(await findToolchains(place)).toEqual({
      readablePaths: [],
      variables: {},
      caches: [],
      emptyFolders: [],
      advice: [],
    });
    expect(performance.now() - beganMs).toBeLessThan(2_000);
  });

  test('but an interpreter elsewhere is shown in parts, and one without a library is told of', async () => {
    const base = realpathSync(folder());
    const [root, home] = [join(base, 'repo'), join(base, 'home')];
    python(join(home, 'tool'));
    write(join(home, 'tool'), { 'share/token': SECRET });
    write(root, { '.venv/pyvenv.cfg': `home = ${home}/tool/bin\n` });
    const look = () =>
      findToolchains({ root, sharedFolders: [], hiddenPaths: [], readablePaths: [], home, variables: {} });
    expect(await look()).toEqual({
      readablePaths: [`${home}/tool/bin`, `${home}/tool/lib`],
      variables: {},
      caches: [],
      emptyFolders: [],
      advice: [],
    });
    rmSync(join(home, 'tool/lib'), { recursive: true });
    expect((await look()).readablePaths).toEqual([]);
    expect((await look()).advice).toEqual([
      expect.stringContaining(`To let them read all of ${home}/tool, add it to sandbox.read`),
    ]);
  });
});

test('caches that tools write to are those of the files of a project, by the variables of the worker', async () => {
  const base = realpathSync(temporaryFolder());
  const [root, home] = [join(base, 'repo'), join(base, 'home')];
  write(home, {
    '.gradle/caches/modules-2/a': '',
    '.gradle/gradle.properties': SECRET,
    '.cache/uv/a': '',
    '.ssh/id': SECRET,
  });
  write(base, { 'go-build/a': '' });
  const found = async (files: Record<string, string>, variables: NodeJS.ProcessEnv = {}) => {
    write(root, files);
    const { caches, ...others } = await findToolchains({
      root,
      sharedFolders: [],
      hiddenPaths: [],
      readablePaths: [],
      home,
      variables,
    });
    expect(others.variables).toEqual(
      'app/build.gradle.kts' in files ? { GRADLE_USER_HOME: join(home, '.gradle') } : {},
    );
    return caches.map(({ source, path, variables }) => [source.slice(base.length), path, variables]);
  };
  expect(await found({ 'README.md': '' })).toEqual([]);
  expect(await found({ 'uv.lock': '' }, { UV_CACHE_DIR: join(home, '.ssh') })).toEqual([]);
  expect(
    await found({ 'app/build.gradle.kts': '', 'go.mod': '' }, { GOCACHE: join(base, 'go-build') }),
  ).toEqual([
    ['/go-build', '/tmp/.home/.cache/go-build', { GOCACHE: '/tmp/.home/.cache/go-build' }],
    ['/home/.gradle/caches/modules-2', join(home, '.gradle/caches/modules-2'), {}],
    ['/home/.cache/uv', '/tmp/.home/.cache/uv', { UV_CACHE_DIR: '/tmp/.home/.cache/uv' }],
  ]);
});
