import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { borrowDependencies } from '../../sidecar/workspace/commands/borrowed-dependencies.ts';
import { LocalExecutionEnvironment } from '../../sidecar/workspace/local-environment.ts';
import { provideDependencies } from '../../sidecar/workspace/prepare-commands.ts';
import type { DependencyOptions } from '../../sidecar/workspace/prepare-commands.ts';
import type { SharedDependencies } from '../../sidecar/workspace/shared-dependencies.ts';
import type { PreparedWorkspace } from '../../sidecar/workspace/task-workspace.ts';
import { describeWith } from '../support/requirements.ts';
import { prepared } from './prepared.ts';
import { cleanUp, git, places, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

/** A repository whose dependencies are installed, as a developer's is. */
function installed(): string {
  const repo = repository({
    '.gitignore': 'node_modules\ntarget\n',
    'package.json': '{}',
    'packages/ui/index.js': '',
  });
  write(repo, {
    'node_modules/left-pad/index.js': 'module.exports = 1',
    'packages/ui/node_modules/inner/index.js': 'x',
    'target/debug/lib.o': 'built',
  });
  symlinkSync('../packages/ui', join(repo, 'node_modules', 'ui'));
  symlinkSync('/etc', join(repo, 'node_modules', 'outside'));
  return repo;
}

const workspaceOf = (repo: string, where = places()) =>
  prepared({ task_id: `t-${Math.random()}`, repo }, where);

async function provided(
  workspace: PreparedWorkspace,
  more: Partial<DependencyOptions> = {},
): Promise<SharedDependencies> {
  const outcome = await provideDependencies({
    workspace,
    share: 'auto',
    prepare: [],
    cacheDir: temporaryFolder(),
    sandboxed: false,
    openEnvironment: () => new LocalExecutionEnvironment({ workspace: workspace.dir, sandbox: 'off' }),
    ...more,
  });
  if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
  return outcome.value;
}

describe('sharing dependencies of a local source', () => {
  test('without a sandbox they are copies: no link leads out, the source stays as it is', async () => {
    const repo = installed();
    const workspace = await workspaceOf(repo);
    const shared = await provided(workspace);
    expect(shared.copiedFolders).toEqual(['node_modules', 'target', 'packages/ui/node_modules']);
    expect(shared.sharedFolders).toEqual([]);
    write(workspace.dir, { 'node_modules/left-pad/index.js': 'changed' });
    expect(readFileSync(join(repo, 'node_modules/left-pad/index.js'), 'utf8')).toBe('module.exports = 1');
    expect(lstatSync(join(workspace.dir, 'node_modules/ui')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(workspace.dir, 'node_modules/outside'))).toBe(false);
    expect((await workspace.commit('x')).files).toEqual([]);
  });

  test('with a sandbox they are mounts, and only build folders copies', async () => {
    const repo = installed();
    const workspace = await workspaceOf(repo);
    const shared = await provided(workspace, { sandboxed: true });
    expect(shared).toEqual({
      sharedFolders: [
        { source: join(repo, 'node_modules'), path: join(workspace.dir, 'node_modules') },
        {
          source: join(repo, 'packages/ui/node_modules'),
          path: join(workspace.dir, 'packages/ui/node_modules'),
        },
      ],
      readOnlyPaths: [],
      copiedFolders: ['target'],
      skippedFolders: [],
    });
    expect(readdirSync(join(workspace.dir, 'node_modules'))).toEqual([]);
    expect(await workspace.listUncommittedFiles()).toEqual([]);
    expect((await provided(workspace, { sandboxed: true })).sharedFolders).toHaveLength(2);
  });

  test('named paths are shared, others and paths that leave the repository are not', async () => {
    const repo = installed();
    write(repo, { '.gitignore': 'cache/\nnone\n' });
    git(repo, 'commit', '-qam', 'ignore');
    write(repo, { 'cache/x': '1', 'plain/x': '1' });
    const shared = await provided(await workspaceOf(repo), {
      share: ['cache', 'plain', '../other', '/etc', 'none'],
    });
    expect(shared.copiedFolders).toEqual(['cache']);
    expect(shared.skippedFolders.map(({ path }) => path)).toEqual(['plain', '../other', '/etc', 'none']);
  });

  test('those of Yarn and of tools that test in several environments are found', async () => {
    const ignored = '.yarn/cache\n.pnp.*\n.tox\nenv\n';
    const repo = repository({ '.gitignore': ignored, '.yarn/releases/y.cjs': '1\n', 'a/package.json': '{}' });
    for (const path of ['.yarn/cache/a.zip', '.pnp.cjs', '.tox/py/a', 'env/pyvenv.cfg'])
      write(repo, { [path]: 'x\n' });
    write(repo, { 'a/.pnp.cjs': '"packageLocation": "../../.yarn/berry/cache/left.zip/",\n' });
    const found = ['.pnp.cjs', '.tox', '.yarn/cache', 'env'];
    const workspace = await workspaceOf(repo);
    const { sharedFolders, skippedFolders } = await provided(workspace, { sandboxed: true });
    expect(sharedFolders.map(({ source }) => source.slice(repo.length + 1)).sort()).toEqual(found);
    expect(skippedFolders).toEqual([
      { path: 'a/.pnp.cjs', reason: expect.stringContaining('enableGlobalCache: false') },
    ]);
    const to = join(temporaryFolder(), 'copy');
    const borrowed = await borrowDependencies({
      workspaceDir: workspace.dir,
      copyDir: to,
      sharedFolders,
      sandboxed: true,
    });
    expect(borrowed.map(({ path }) => path.slice(to.length + 1)).sort()).toEqual(found);
    const places = [workspace.dir, to].map((dir) => lstatSync(join(dir, '.pnp.cjs')).isFile());
    expect(places).toEqual([true, true]);
    expect((await provided(await workspaceOf(repo), { sandboxed: false })).copiedFolders.sort()).toEqual(
      found,
    );
    expect(await workspace.listUncommittedFiles()).toEqual([]);
  });

  test('what is tracked stays, and `off` shares nothing', async () => {
    const repo = repository({ 'vendor/lib/a.go': 'tracked' });
    write(repo, { 'vendor/lib/a.go': 'edited' });
    const workspace = await workspaceOf(repo);
    expect((await provided(workspace)).copiedFolders).toEqual([]);
    expect(readFileSync(join(workspace.dir, 'vendor/lib/a.go'), 'utf8')).toBe('tracked');
    expect(await provided(await workspaceOf(installed()), { share: 'off' })).toMatchObject({
      copiedFolders: [],
      sharedFolders: [],
    });
  });

  test('a place that a link of the repository moves elsewhere is not used', async () => {
    const target = temporaryFolder();
    const repo = repository({ 'a.txt': '' });
    symlinkSync(target, join(repo, 'packages'));
    const source = installed();
    const workspace = { ...(await workspaceOf(repo)), sourcePath: source };
    symlinkSync(target, join(workspace.dir, 'packages'));
    const shared = await provided(workspace, { share: ['packages/ui/node_modules'] });
    expect(shared.copiedFolders).toEqual([]);
    expect(readdirSync(target)).toEqual([]);
  });
});

describe('links of the source', () => {
  const files = { 'docs/a.txt': 'x', '.gitignore': 'deps\nvendor\ntarget\n' };

  test.each([true, false])('that lead out of it share nothing (sandboxed: %s)', async (sandboxed) => {
    const elsewhere = temporaryFolder();
    write(elsewhere, { 'deps/token': 'precious', 'target/token': 'precious' });
    const workspace = await workspaceOf(repository(files));
    const sourcePath = temporaryFolder();
    write(sourcePath, { '.git/config': 'precious', 'lib/deps/a': 'a' });
    symlinkSync(elsewhere, join(sourcePath, 'docs'));
    symlinkSync(join(elsewhere, 'deps'), join(sourcePath, 'deps'));
    symlinkSync('.git', join(sourcePath, 'vendor'));
    for (const share of ['auto', ['docs/deps', 'deps', 'vendor', 'docs/target']] as const) {
      const shared = await provided({ ...workspace, sourcePath }, { share, sandboxed });
      expect({ shown: shared.sharedFolders, copied: shared.copiedFolders }).toEqual({
        shown: [],
        copied: [],
      });
    }
  });

  test('that stay inside are followed', async () => {
    const workspace = await workspaceOf(repository(files));
    const sourcePath = temporaryFolder();
    write(sourcePath, { 'lib/deps/a': 'a' });
    symlinkSync('lib/deps', join(sourcePath, 'deps'));
    const shared = await provided({ ...workspace, sourcePath }, { share: ['deps'], sandboxed: true });
    expect(shared.sharedFolders).toEqual([
      { source: join(sourcePath, 'lib/deps'), path: join(workspace.dir, 'deps') },
    ]);
  });
});

test('a copy borrows nothing through links that a task put above it', async () => {
  const [from, to, elsewhere] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  write(elsewhere, { 'node_modules/token': 'precious' });
  symlinkSync(elsewhere, join(from, 'ui'));
  const options = {
    workspaceDir: from,
    copyDir: to,
    sharedFolders: [],
    ownFolders: ['ui/node_modules'],
    sandboxed: true,
  };
  expect(await borrowDependencies(options)).toEqual([]);
  write(from, { 'app/node_modules/a': 'a' });
  const place = temporaryFolder();
  symlinkSync(place, join(to, 'app'));
  expect(await borrowDependencies({ ...options, ownFolders: ['app/node_modules'] })).toEqual([]);
  expect(readdirSync(place)).toEqual([]);
});

describeWith('bubblewrap', 'shared dependencies in the sandbox', () => {
  test('are there, in their place, and stay as they are when something is written beside them', async () => {
    const repo = installed();
    const workspace = await workspaceOf(repo);
    const shared = await provided(workspace, { sandboxed: true });
    const env = new LocalExecutionEnvironment({
      workspace: workspace.dir,
      sandbox: 'required',
      gitDirs: workspace.gitDirs,
      sharedFolders: shared.sharedFolders,
      readOnlyPaths: shared.readOnlyPaths,
    });
    try {
      const used = await env.execCommand(
        'node -p "require(\'left-pad\')"; ls node_modules/ui; touch node_modules/x && echo written; git status --short',
      );
      expect(used.output).toBe('1\nindex.js\nnode_modules\nwritten\n');
      expect(existsSync(join(repo, 'node_modules', 'x'))).toBe(false);
    } finally {
      await env.cleanup();
    }
  });
});

describe("the operator's commands that prepare dependencies", () => {
  const prepare = [
    'mkdir -p node_modules/dep && echo installed > node_modules/dep/index.js && echo run >> "$COUNTER"',
  ];

  function counted(): {
    more: (workspace: PreparedWorkspace) => Partial<DependencyOptions>;
    runs: () => number;
  } {
    const folder = temporaryFolder();
    const counter = join(folder, 'counter');
    return {
      more: (workspace) => ({
        prepare,
        cacheDir: folder,
        openEnvironment: () =>
          new LocalExecutionEnvironment({
            workspace: workspace.dir,
            sandbox: 'off',
            environment: { COUNTER: counter },
          }),
      }),
      runs: () => (existsSync(counter) ? readFileSync(counter, 'utf8').trim().split('\n').length : 0),
    };
  }

  test('run once per set of lock files, and later tasks get what they left', async () => {
    const repo = repository({ 'package-lock.json': '1', '.gitignore': 'node_modules' });
    const { more, runs } = counted();
    const where = places();
    for (let task = 0; task < 2; task += 1) {
      const workspace = await workspaceOf(repo, where);
      expect((await provided(workspace, more(workspace))).copiedFolders).toEqual(['node_modules']);
      expect(readFileSync(join(workspace.dir, 'node_modules/dep/index.js'), 'utf8')).toBe('installed\n');
    }
    expect(runs()).toBe(1);
    write(repo, { 'package-lock.json': '2' });
    git(repo, 'commit', '-qam', 'more dependencies');
    const changed = await workspaceOf(repo, where);
    await provided(changed, more(changed));
    expect(runs()).toBe(2);
  });

  describe('never run where a task has worked, since they have network', () => {
    const FILES = { 'package.json': '1', '.gitignore': 'node_modules' };
    /** What a workspace gets, and what is said. */
    async function told(workspace: PreparedWorkspace, more: Partial<DependencyOptions>) {
      const said: string[] = [];
      const { copiedFolders } = await provided(workspace, {
        ...more,
        onEvent: ({ text }) => said.push(text),
      });
      return { copied: copiedFolders, said: said.join() };
    }

    test.each(['base_ref by branch', 'base_ref by commit', 'a patch', 'a taken over workspace'])(
      '%s',
      async (kind) => {
        const repo = repository(FILES);
        const { more, runs } = counted();
        const where = places();
        const first = await prepared({ task_id: 'first', repo }, where);
        write(first.dir, { 'package.json': '{"scripts":{"postinstall":"curl"}}' });
        const { head_commit: head, patch } = await first.commit('x');
        if (kind !== 'a taken over workspace') await first.publish();
        const workspace = await prepared(
          {
            task_id: kind === 'a taken over workspace' ? 'first' : 'next',
            repo,
            ...(kind === 'base_ref by branch' && { base_ref: 'sidecar/first' }),
            ...(kind === 'base_ref by commit' && { base_ref: head! }),
            ...(kind === 'a patch' && { metadata: { follow_up_patch: patch } }),
          },
          where,
        );
        expect(await told(workspace, more(workspace))).toEqual({
          copied: [],
          said: expect.stringMatching(/^Dependencies were not installed: /u),
        });
        expect(runs()).toBe(0);
      },
    );

    test('what is kept for the same lock files is used', async () => {
      const repo = repository(FILES);
      const { more, runs } = counted();
      const where = places();
      const first = await prepared({ task_id: 'first', repo }, where);
      await provided(first, more(first));
      write(first.dir, { 'other.js': '1' });
      await first.commit('x');
      await first.publish();
      const next = await prepared({ task_id: 'next', repo, base_ref: 'sidecar/first' }, where);
      expect(await told(next, more(next))).toEqual({ copied: ['node_modules'], said: '' });
      expect(runs()).toBe(1);
    });

    test('a branch that a person has merged is no work of a task any more', async () => {
      const repo = repository(FILES);
      const { more, runs } = counted();
      const where = places();
      const first = await prepared({ task_id: 'first', repo }, where);
      write(first.dir, { 'package.json': '2' });
      await first.commit('x');
      await first.publish();
      git(repo, 'merge', '-q', 'sidecar/first');
      const next = await prepared({ task_id: 'next', repo }, where);
      expect(await told(next, more(next))).toMatchObject({ copied: ['node_modules'] });
      expect(runs()).toBe(1);
    });
  });

  test('that fail are a failure with their output, and are tried again', async () => {
    const workspace = await workspaceOf(repository());
    const { more } = counted();
    const options = {
      workspace,
      share: 'auto' as const,
      sandboxed: false,
      cacheDir: temporaryFolder(),
      openEnvironment: more(workspace).openEnvironment!,
    };
    const outcome = await provideDependencies({ ...options, prepare: ['echo no such package; exit 7'] });
    expect(outcome).toMatchObject({
      ok: false,
      failure: {
        code: 'workspace_prepare_failed',
        message: '`echo no such package; exit 7` of workspace.prepare exited with code 7: no such package',
      },
    });
    mkdirSync(join(workspace.dir, 'src'));
    expect(await provideDependencies({ ...options, prepare: ['true'] })).toMatchObject({ ok: true });
  });
});
