/** The sandbox's arguments, what it shows of a host, and how commands behave in it. */
import { describe, expect, test } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import {
  listProgramFolders,
  findToolchainFolders,
  listUserPackages,
  dropRedundantMounts,
} from '../../../sidecar/workspace/commands/host-paths.ts';
import { probeSandbox } from '../../../sidecar/workspace/commands/sandbox-detect.ts';
import { buildSandboxArguments } from '../../../sidecar/workspace/commands/sandbox.ts';
import { isVisibleToCommands } from '../../../sidecar/workspace/commands/system-settings.ts';
import { openLayers } from '../../../sidecar/workspace/commands/overlay-layers.ts';
import {
  LocalExecutionEnvironment,
  type LocalExecutionEnvironmentOptions,
} from '../../../sidecar/workspace/local-environment.ts';
import { describeWith } from '../../support/requirements.ts';
import { contentsOf } from '../../support/folder-contents.ts';
import { type Fixture, withWorkspace } from '../../support/workspace-fixture.ts';

type Folders = Pick<Fixture, 'base' | 'workspace'>;
const required = (options: Partial<LocalExecutionEnvironmentOptions>) => ({
  ...options,
  sandbox: 'required' as const,
});

test('the arguments are all of these, the most specific mount last', () => {
  const args = buildSandboxArguments({
    mounts: [
      { path: '/home/me/code/.git', kind: 'read-only' },
      { path: '/home/me/code', kind: 'writable' },
      { path: '/home', kind: 'hidden' },
      { path: '/tmp', kind: 'writable', source: '/tmp/scratch-1' },
      { path: '/etc/shadow', kind: 'masked' },
    ],
    network: false,
    isRoot: true,
    features: { blocksUserNamespaces: true, filtersSyscalls: true },
    maxMemoryFileBytes: 1000,
  });
  expect(args.join(' ')).toBe(
    [
      '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --disable-userns',
      '--seccomp 4 --unshare-net',
      '--hostname localhost --die-with-parent --new-session --cap-drop ALL',
      '--proc /proc --remount-ro /proc --dev /dev',
      '--size 1000 --perms 1777 --tmpfs /dev/shm --remount-ro /dev',
      '--size 65536 --perms 0555 --tmpfs /home --bind /tmp/scratch-1 /tmp --ro-bind /dev/null /etc/shadow',
      '--bind /home/me/code /home/me/code --ro-bind /home/me/code/.git /home/me/code/.git --remount-ro /',
    ].join(' '),
  );
});

test('mounts that change nothing are left out', () => {
  const kept = dropRedundantMounts([
    { path: '/home', kind: 'hidden' },
    { path: '/home/me', kind: 'hidden' },
    { path: '/home/me/code', kind: 'writable' },
    { path: '/home/me/code/state', kind: 'hidden' },
    { path: '/home/me/.nvm', kind: 'read-only' },
    { path: '/home/me/.nvm/versions', kind: 'read-only' },
    { path: '/usr/lib/node', kind: 'read-only' },
    { path: '/tmp', kind: 'writable', source: '/tmp/s' },
    { path: '/tmp/other-task', kind: 'hidden' },
    { path: '/tmp/work', kind: 'writable' },
  ]);
  expect(kept.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'writable /home/me/code',
    'hidden /home/me/code/state',
    'read-only /home/me/.nvm',
    'read-only /usr/lib/node',
    'writable /tmp',
    'writable /tmp/work',
  ]);
});

test('toolchains of the PATH that lie in a home are shown whole, nothing else of it', () => {
  const programs = [
    '/usr/bin',
    '/home/me/.nvm/versions/node/v22/bin',
    '/home/me/.cargo/bin',
    '/home/me',
    '/home/me/bin',
  ];
  expect(findToolchainFolders(programs, ['/home/me'])).toEqual([
    '/home/me/.nvm',
    '/home/me/.cargo/bin',
    '/home/me/.rustup',
    '/home/me/bin',
  ]);
});

test('programs that are links show the packages that they lead to, and a home those of its user', async () => {
  await withWorkspace({}, async ({ base, put }) => {
    await put('me/.npm-global/lib/node_modules/tool/cli.js', '');
    await put('me/.npm-global/bin/other', '');
    await put('me/project/secret.js', '');
    await put('me/.local/lib/python3.11/site-packages/a.py', '');
    await put('me/.local/lib/private/a', '');
    await put('me/.pyenv/versions/3.12/bin/python3.12', '');
    for (const venv of ['poetry', 'mine']) await put(`me/envs/${venv}/pyvenv.cfg`, '');
    await put('me/envs/mine/bin/tox', '');
    await put('me/envs/poetry/bin/poetry', '');
    const home = join(base, 'me');
    const bin = join(home, '.npm-global/bin');
    await symlink('../lib/node_modules/tool/cli.js', join(bin, 'tool'));
    await symlink(join(home, 'project/secret.js'), join(bin, 'mine'));
    const [mine, poetry, pyenv] = ['envs/mine', 'envs/poetry', '.pyenv'].map((name) => join(home, name));
    await symlink(join(home, 'envs/poetry/bin/poetry'), join(bin, 'poetry'));
    await symlink(join(home, '.pyenv/versions/3.12/bin/python3.12'), join(home, 'envs/poetry/bin/python'));
    const packages = join(home, '.npm-global/lib/node_modules');
    expect(findToolchainFolders([bin], [home])).toEqual([bin, poetry, pyenv, packages]);
    expect(findToolchainFolders([join(home, 'envs/mine/bin')], [home])).toEqual([
      join(home, 'envs/mine/bin'),
      mine,
    ]);
    expect(listUserPackages([home])).toEqual([
      join(home, '.local/lib/python3.11'),
      join(home, '.cache/node/corepack'),
    ]);
  });
});

test('programs elsewhere are shown with what belongs to their installation, and nothing beside it', async () => {
  await withWorkspace({}, async ({ base, put }) => {
    await put('node/bin/node', '');
    await put('node/lib/module.js', '');
    await put('node/secret.txt', '');
    await put('tools/run', '');
    const folders = [
      '/usr/bin',
      '/',
      'relative/bin',
      '/home/me/bin',
      join(base, 'node/bin'),
      join(base, 'tools'),
    ];
    expect(listProgramFolders(folders, ['/home/me'])).toEqual([
      join(base, 'node/bin'),
      join(base, 'node/lib'),
      join(base, 'tools'),
    ]);
  });
});

test.each([
  ['[url "https://me:word@example.org/"]\n\tinsteadOf = https://example.org/\n', false],
  ['[http]\n\textraHeader = Authorization: Basic eA==\n', false],
  ['export https_proxy=http://me:word@proxy.example.org:3128\n', false],
  ['<server><password>word</password></server>', false],
  ['<!-- <password>word</password> -->', true],
  ['export https_proxy=http://proxy.example.org:3128\nme:x:1:1:me@example.org:/:\n', true],
])('settings of the machine are shown without logins: %j', async (text, isShown) => {
  await withWorkspace({}, async ({ put }) => {
    expect(isVisibleToCommands(await put('settings', text))).toBe(isShown);
  });
});

describe('looking for bubblewrap', () => {
  test.each([
    ['setting up uid map: Permission denied', 'allow user namespaces'],
    ["Can't mount proc on /newroot/proc: Operation not permitted", 'systempaths=unconfined'],
    ['Unknown option --unshare-cgroup-try', 'too old'],
    ['something else', 'does not work here: bwrap: something else'],
  ])('explains "%s"', async (message, advice) => {
    await withWorkspace({}, async ({ base, put }) => {
      await chmod(await put('bin/bwrap', `#!/bin/sh\necho "bwrap: ${message}" >&2\nexit 1\n`), 0o755);
      expect(await probeSandbox(join(base, 'bin'))).toEqual({
        available: false,
        reason: expect.stringContaining(advice),
      });
    });
  });
});

describeWith('bubblewrap', 'a command in the sandbox', () => {
  test('says so, and gives output and exit code as any other', async () => {
    await withWorkspace({ sandbox: 'auto' }, async ({ env, workspace }) => {
      expect(await env.readSandboxStatus()).toEqual({ sandboxed: true });
      expect(await env.execCommand('pwd; echo err >&2; exit 7')).toMatchObject({
        stdout: `${workspace}\n`,
        stderr: 'err\n',
        exitCode: 7,
        signal: null,
        sandboxed: true,
      });
    });
  });

  test('works in the workspace with the tools of the PATH', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env, workspace }) => {
      await mkdir(join(workspace, 'sub'));
      const result = await env.execCommand('node -p 1+1 > two.txt && git --version && cat two.txt', {
        cwd: 'sub',
      });
      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
      expect(result.stdout).toMatch(/^git version .*\n2\n$/);
      expect((await env.readFile('sub/two.txt')).text).toBe('2\n');
    });
  });

  test('finds in /tmp and HOME what an earlier one left there', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env }) => {
      await env.execCommand('echo kept > /tmp/a; echo mine > ~/b');
      expect((await env.execCommand('cat /tmp/a ~/b')).stdout).toBe('kept\nmine\n');
    });
  });

  test('gets SIGTERM itself and may end in order', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env }) => {
      const result = await env.execCommand('trap "echo bye; exit 0" TERM; sleep 50 & wait', {
        timeoutMs: 500,
      });
      expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGTERM', stdout: 'bye\n' });
      expect(result.durationMs).toBeLessThan(20_000);
    });
  });

  test('that ignores SIGTERM is gone two seconds later', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env }) => {
      const result = await env.execCommand('trap "" TERM; while true; do sleep 0.1; done', {
        timeoutMs: 300,
      });
      expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGKILL' });
      expect(result.durationMs).toBeGreaterThan(2200);
      expect(result.durationMs).toBeLessThan(20_000);
    });
  });

  test('does not wait for its background children', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env }) => {
      const result = await env.execCommand('sleep 100 & setsid sleep 100 & echo started');
      expect(result).toMatchObject({ exitCode: 0, stdout: 'started\n' });
      expect(result.durationMs).toBeLessThan(20_000);
    });
  });

  test('that aborts at once is over at once', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env }) => {
      const result = await env.execCommand('sleep 100', { signal: AbortSignal.abort() });
      expect(result).toMatchObject({ aborted: true, exitCode: null });
      expect(result.durationMs).toBeLessThan(20_000);
    });
  });

  test('learns at once that there is no network, and its output says so', async () => {
    await withWorkspace(
      { sandbox: 'required', environment: { HTTPS_PROXY: 'http://10.0.0.1:1' } },
      async ({ env }) => {
        const result = await env.execCommand(
          "node -e \"require('dns').lookup('example.org', (e) => { console.log(e.code); process.exit(1); })\"; exit 1",
        );
        expect(result.output).toMatch(/^ENOTFOUND\n\n\[There is no network in checks and commands\]\n$/);
        expect((await env.execCommand('getent hosts localhost; echo "[$HTTPS_PROXY]"')).stdout).toMatch(
          /localhost[^]*\n\[\]\n/,
        );
        expect((await env.execCommand('echo ENOTFOUND')).output).toBe('ENOTFOUND\n');
      },
    );
  });

  test('learns which program of this machine it cannot start, and why', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ base, env, put }) => {
      process.env.HOME = join(base, 'me');
      for (const path of ['me/.local/bin/uvx-own', 'me/tools/lint', 'me/project/own-fmt'])
        await chmod(await put(path, '#!/bin/sh\n'), 0o755);
      await symlink(join(base, 'me/project/own-fmt'), join(base, 'me/tools/own-fmt'));
      process.env.PATH = `${join(base, 'me/tools')}:${process.env.PATH}`;
      await put('workspace/check.sh', 'lint && own-fmt --check');
      const notes = async (command: string) =>
        (await env.execCommand(command)).output.split('\n').filter((line) => line.startsWith('['));
      expect(await notes('sh check.sh')).toEqual([
        `[Not in the sandbox: own-fmt is ${join(base, 'me/project/own-fmt')}, which commands cannot read: add ${join(base, 'me/project')} to sandbox.read]`,
      ]);
      expect(await notes('uvx-own run')).toEqual([
        `[Not in the sandbox: uvx-own is in ${join(base, 'me/.local/bin')}, which is not on the worker's PATH: add this folder to PATH and restart the worker]`,
      ]);
      expect(await notes('nothing-of-the-kind; exit 127')).toEqual([]);
      expect(await notes('uvx-own; exit 1')).toEqual([]);
    });
  });

  test('has the network only where the operator allows it', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env }) => {
      const server = createServer((socket) => socket.end('hello'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const command = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
      expect((await env.execCommand(command)).exitCode).not.toBe(0);
      expect((await env.execCommand(command, { network: true })).stdout).toBe('hello');
      server.close();
    });
  });

  test('reaches no server of the host through a socket in a folder that is shown, however many there are', async () => {
    const options = (folders: Folders) => required({ readOnlyPaths: [join(folders.base, 'shared')] });
    await withWorkspace(options, async ({ base, env, put }) => {
      await put('shared/a', '');
      const paths = Array.from({ length: 40 }, (_socket, index) => join(base, 'shared', String(index)));
      const servers = paths.map((path) => createServer((socket) => socket.end()).listen(path));
      await Promise.all(servers.map((server) => once(server, 'listening')));
      const script = `for (const path of ${JSON.stringify(paths)}) {
        const socket = require('net').connect(path, () => console.log('reached'));
        socket.on('error', () => console.log('refused'));
      }`;
      const { stdout } = await env.execProgram(['node', '-e', script]);
      expect(stdout).toBe('refused\n'.repeat(40));
      for (const server of servers) server.close();
    });
  });

  test('sees further folders as they are configured', async () => {
    const options = ({ base }: Folders) =>
      required({ readOnlyPaths: [join(base, 'shared')], writablePaths: [join(base, 'cache')] });
    await withWorkspace(options, async ({ base, env, put }) => {
      await put('shared/lib.txt', 'library\n');
      await put('cache/old.txt', '');
      const result = await env.execCommand(
        `cat ${base}/shared/lib.txt; touch ${base}/cache/new.txt && echo yes; touch ${base}/shared/x || echo no`,
      );
      expect(result.stdout).toBe('library\nyes\nno\n');
    });
  });

  test('writes beside the packages that it shares, for itself alone', async () => {
    await withWorkspace({}, async ({ base, put, workspace }) => {
      await put('clone/node_modules/p/index.js', 'module.exports = __filename;\n');
      await put('clone/node_modules/q/index.js', '');
      await put('workspace/node_modules/.keep', '').then((path) => rm(path));
      const shared = { source: join(base, 'clone/node_modules'), path: join(workspace, 'node_modules') };
      const open = () =>
        new LocalExecutionEnvironment({
          workspace,
          sandbox: 'required',
          sharedFolders: [shared],
          readOnlyPaths: [shared.source],
        });
      const [env, other] = [open(), open()];
      const seen = (of: typeof env) => of.execCommand('ls -A node_modules; cat node_modules/q/*');
      const wrote = await env.execCommand(
        `mkdir -p node_modules/.vite; echo 1 > node_modules/.vite/a; echo 2 > node_modules/q/index.js; rm -r node_modules/p/; ls -A ${shared.source}`,
      );
      expect([wrote.output, wrote.exitCode]).toEqual(['.vite\nq\n', 0]);
      const both = await Promise.all([seen(env), seen(env), seen(other)]);
      expect(both.map(({ stdout }) => stdout)).toEqual(['.vite\nq\n2\n', '.vite\nq\n2\n', 'p\nq\n']);
      const { stdout } = await other.execCommand('node -p "require(\'p\')"; id -u');
      expect(stdout).toBe(`${workspace}/node_modules/p/index.js\n${process.getuid?.()}\n`);
      expect(await readdir(join(workspace, 'node_modules'))).toEqual([]);
      expect((await readdir(shared.source, { recursive: true })).sort()).toEqual([
        'p',
        'p/index.js',
        'q',
        'q/index.js',
      ]);
      await Promise.all([env.cleanup(), other.cleanup()]);
    });
  });

  test('finds caches of tools in its home, and the checks of a task what they wrote there', async () => {
    await withWorkspace({}, async ({ base, put }) => {
      const source = join(base, 'me/.cache/go-build');
      await put('me/.cache/go-build/a', 'of the host');
      await put('checks/own/x', '');
      const gone = { source: join(base, 'me/none'), path: '/tmp/.home/none', variables: { NONE: '/none' } };
      const path = '/tmp/.home/.cache/go-build';
      const env = new LocalExecutionEnvironment({
        workspace: join(base, 'workspace'),
        sandbox: 'required',
        privateCaches: [{ source, path, variables: { GOCACHE: path } }, gone],
      });
      const at = (name: string) =>
        put(`${name}/x`, '').then(() =>
          env.openTree({ dir: join(base, name), gitDirs: [], cacheDir: join(base, 'checks/own') }),
        );
      const said: string[] = [];
      for (const one of [env, await at('one'), await at('two')]) {
        const { output } = await one.execCommand(
          'cat "$GOCACHE"/*; echo " $NONE"; echo mine > "$GOCACHE/b"; rm -f "$GOCACHE/a"',
        );
        said.push(output);
        await one.cleanup();
      }
      expect(said).toEqual(['of the host \n', 'of the host \n', 'mine\n \n']);
      expect(await contentsOf(source)).toEqual(new Map([[join(source, 'a'), 'of the host']]));
    });
  });

  test('is shown each entry of a shared folder apart where there are no overlays', async () => {
    await withWorkspace({}, async ({ base, put, workspace }) => {
      await put('clone/p/index.js', '');
      await put('clone/.cache/a', 'old');
      await put('clone/.lock', '1');
      const [source, path, place] = [join(base, 'clone'), join(workspace, 'deps'), join(base, 'layers')];
      const layers = await openLayers([{ source, path }], place, {
        programFolders: [],
        caches: [{ source: base, path: '/c', variables: {} }],
      });
      const top = join(place, 'entries-0');
      expect(layers).toMatchObject({
        enterCommand: [],
        variables: {},
        mounts: [
          { source: top, path, kind: 'writable' },
          { source: join(source, 'p'), path: join(path, 'p'), kind: 'read-only' },
        ],
      });
      expect((await readdir(top, { recursive: true })).sort()).toEqual(['.cache', '.cache/a', '.lock', 'p']);
    });
  });

  test('sees the system, the workspace and the programs of the PATH, and nothing else of the host', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env, base, put }) => {
      await put('other/secret.txt', 'secret');
      const { stdout } = await env.execCommand(
        `ls -A / /etc; ls ${base}; cat ${base}/other/secret.txt /etc/shadow /etc/sudoers; touch /new && echo new; ls /home /root /srv /var/log; touch /run/x /var/tmp/y; ls /run /var/tmp`,
      );
      const names = stdout.split(/\s+/);
      expect(names).toEqual(
        expect.arrayContaining(['usr', 'etc', 'proc', 'tmp', 'passwd', 'workspace', 'x', 'y']),
      );
      for (const absent of ['home', 'srv', 'mnt', 'shadow', 'sudoers', 'other', 'secret', 'new']) {
        expect(names).not.toContain(absent);
      }
    });
  });

  test('reads the settings of the machine and cannot write them', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env }) => {
      const { stdout } = await env.execCommand('cat /etc/passwd /etc/hosts /etc/services');
      const texts = ['passwd', 'hosts', 'services'].map((name) => readFile(`/etc/${name}`, 'utf8'));
      expect(stdout).toBe((await Promise.all(texts)).join(''));
      const writing = 'for f in /etc/passwd /etc/hosts /etc/new /.settings/passwd; do echo x > $f; done';
      expect((await env.execCommand(writing)).stderr.match(/Read-only file system/g)).toHaveLength(4);
    });
  });

  test('sees all of /etc where that is configured, but for what only root reads', async () => {
    await withWorkspace({ sandbox: 'required', readOnlyPaths: ['/etc'] }, async ({ env }) => {
      const { stdout } = await env.execCommand('ls -A /etc; cat /etc/shadow; cat /etc/passwd');
      expect(stdout).toContain(await readFile('/etc/passwd', 'utf8'));
      expect(stdout.split('\n')).toEqual(expect.arrayContaining(await readdir('/etc')));
      expect(stdout).not.toMatch(/^root:.*:\d+:\d+:\d+:\d*:/m);
    });
  });

  test('runs the test runners of this machine', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env, put }) => {
      await put('workspace/package.json', '{"scripts":{"test":"node --test"}}');
      await put('workspace/a.test.js', "require('node:test').test('a', () => {});");
      await put(
        'workspace/test_a.py',
        'import unittest\nclass A(unittest.TestCase):\n  def test_a(self): pass\n',
      );
      expect((await env.execCommand('npm test')).output).toMatch(/pass 1/);
      const python = await env.execCommand(
        'command -v python3 >/dev/null || exit 3; python3 -m unittest 2>&1',
      );
      if (python.exitCode !== 3) expect(python.output).toMatch(/Ran 1 test[\s\S]*OK/);
    });
  });

  test('is not disturbed when a hidden folder goes away', async () => {
    // Below the workspace, since all else in the temporary folder is hidden anyway.
    const options = ({ workspace }: Folders) => required({ hiddenPaths: [join(workspace, 'state')] });
    await withWorkspace(options, async ({ base, env, put }) => {
      await put('workspace/state/a', 'secret');
      expect(await env.execCommand('ls state')).toMatchObject({ stdout: '', exitCode: 0 });
      await rm(join(base, 'workspace/state'), { recursive: true });
      const result = await env.execCommand('ls');
      expect(result).toMatchObject({ stderr: '', exitCode: 0 });
      // A sandbox that was being made in that moment leaves the empty place where it hid the folder.
      expect(['', 'state\n']).toContain(result.stdout);
    });
  });

  test('that prints like bubblewrap is not run again', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env }) => {
      const result = await env.execCommand('echo run >> runs; echo "bwrap: no" >&2; exit 1');
      expect(result).toMatchObject({ stderr: 'bwrap: no\n', exitCode: 1 });
      expect((await env.readFile('runs')).text).toBe('run\n');
    });
  });

  test('leaves a sandbox waiting that keeps no worker alive and dies with it', async () => {
    await withWorkspace({}, async ({ base, workspace }) => {
      const outfile = join(base, 'worker.mjs');
      await build({
        stdin: {
          contents: `import { LocalExecutionEnvironment } from './sidecar/workspace/local-environment.ts';
            const env = new LocalExecutionEnvironment({ workspace: ${JSON.stringify(workspace)}, sandbox: 'required' });
            console.log((await env.execCommand('echo first')).stdout + (await env.execCommand('echo second')).stdout);`,
          resolveDir: process.cwd(),
          loader: 'ts',
        },
        outfile,
        bundle: true,
        format: 'esm',
        platform: 'node',
        external: ['@vscode/ripgrep'],
        banner: {
          js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
        },
      });
      await copyFile('sidecar/base/system/launcher-process.mjs', join(base, 'launcher-process.mjs'));
      const { stdout } = await promisify(execFile)(process.execPath, [outfile], { timeout: 20_000 });
      expect(stdout).toBe('first\nsecond\n\n');
      const waiting = async () => {
        const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
        const lines = await Promise.all(
          pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
        );
        return lines.filter((line) => line.includes(`--chdir\0${workspace}`));
      };
      // What started it hears of the worker's end by its pipe, a moment later.
      const untilMs = Date.now() + 5_000;
      while ((await waiting()).length > 0 && Date.now() < untilMs) await nextTurn();
      expect(await waiting()).toEqual([]);
    });
  });

  test('takes scripts of any length and any folder, waiting or not', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env, workspace }) => {
      await mkdir(join(workspace, "it's here"));
      const long = `echo ${'x'.repeat(10_000)} | wc -c`;
      for (let round = 0; round < 3; round += 1) {
        expect((await env.execCommand(long)).stdout).toBe('10001\n');
        const here = await env.execCommand('basename "$PWD"; echo "a\\b"; exit 4', { cwd: "it's here" });
        expect(here).toMatchObject({ stdout: "it's here\na\\b\n", exitCode: 4 });
        expect((await env.execCommand('true\nif then fi')).stderr).toContain('line 2');
      }
    });
  });

  test('stages, stashes and commits in a git folder of its own, whatever the repository holds', async () => {
    await withWorkspace({}, async ({ base }) => {
      const folder = join(base, 'repo/.git');
      makeWorktree(base, join(base, 'other'));
      makeWorktree(base, join(base, 'tree'));
      await writeFile(join(folder, 'index.lock'), '');
      execFileSync('mkfifo', [join(folder, 'fsmonitor.ipc')]);
      await mkdir(join(folder, 'lfs'));
      await writeFile(join(folder, 'lfs/large'), Buffer.alloc(17 * 1024 ** 2, 1));
      for (const name of ['repo', 'tree']) {
        const before = await contentsOf(folder);
        const open = () =>
          new LocalExecutionEnvironment({
            workspace: join(base, name),
            sandbox: 'required',
            gitDirs: [folder],
          });
        const [env, other] = [open(), open()];
        const { output, exitCode } = await env.execCommand(
          'echo x > new.txt; git add new.txt; git mv new.txt moved.txt; git stash -q; ls; git stash pop -q; git commit -qm more; git log --format=%s; git rm -q moved.txt; git status --short; wc -c < "$(git rev-parse --git-common-dir)/lfs/large"',
        );
        expect([exitCode, output.split('\n').slice(0, 4)]).toEqual([
          0,
          ['more', 'start', 'D  moved.txt', '17825792'],
        ]);
        expect(
          (await other.execCommand('git log --format=%s; git stash list; git worktree list')).output,
        ).toMatch(/^start\n\S+ /);
        await Promise.all([env.cleanup(), other.cleanup()]);
        expect(await contentsOf(folder)).toEqual(before);
      }
    });
  });

  test('is shown nothing that a `.git` of the task names, after a restart too', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ base, env, put }) => {
      makeWorktree(base, join(base, 'tree'));
      await put('workspace/.git/HEAD', 'ref: refs/heads/main\n');
      await put('workspace/.git/objects/info/alternates', `${join(base, 'repo/.git/objects')}\n`);
      expect((await env.execCommand(`ls ${join(base, 'repo/.git')}`)).output).toContain('No such file');
    });
  });

  test('makes nothing of the host by a link in /tmp above what it is shown', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ base, env, workspace }) => {
      const victim = join(base, 'victim');
      await mkdir(victim);
      const { output } = await env.execCommand(
        `cd /; mv ${base} /tmp/away && ln -s /oldroot${victim} ${base} && echo moved`,
      );
      expect(output).toBe('moved\n');
      await expect(env.execCommand(`ls ${workspace}`)).rejects.toThrow();
      expect(await readdir(victim)).toEqual([]);
    });
  });

  test.each(['HOME/', 'HOME/bin/..', 'HOME/.', 'link', ''])(
    'is not shown a home folder that a variable names as %j',
    async (written) => {
      await withWorkspace({ sandbox: 'required' }, async ({ base, env, put }) => {
        await put('home/.ssh/id', 'precious');
        await symlink(join(base, 'home'), join(base, 'link'));
        const { HOME, JAVA_HOME, PATH } = process.env;
        process.env.HOME = join(base, 'home');
        const named = `${base}/${written.replace('HOME', 'home')}`;
        Object.assign(process.env, { JAVA_HOME: named, PATH: `${PATH}:${named}` });
        const { output } = await env.execCommand(`cat ${base}/home/.ssh/id ${base}/link/.ssh/id`);
        Object.assign(process.env, { HOME, PATH });
        if (JAVA_HOME === undefined) delete process.env.JAVA_HOME;
        else process.env.JAVA_HOME = JAVA_HOME;
        expect(output).not.toContain('precious');
      });
    },
  );

  test('finds its control group where the system mounts them', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env }) => {
      const { output } = await env.execCommand(`grep " - cgroup" /proc/self/mountinfo | grep "/\\.\\."
        while IFS=: read -r _ names path; do
          folder=/sys/fs/cgroup/\${names#name=}
          [ ! -d "$folder" ] || ls -d "$folder$path" >/dev/null
        done </proc/self/cgroup`);
      expect(output).toBe('');
    });
  });

  test('has a host name that resolves, with the network too', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ env }) => {
      const look = `node -e "require('dns').lookup(os.hostname(), (error, address) => console.log(error ?? address))"`;
      for (const network of [false, true])
        expect((await env.execCommand(look, { network })).stdout).toMatch(/^(127\.0\.0\.1|::1)\n$/);
    });
  });

  test('is shown nothing by a link in the place of a folder above a protected path', async () => {
    await withWorkspace({ sandbox: 'required' }, async ({ base, env, put }) => {
      await put('workspace/sub/.ssh/config', 'of the project');
      await put('workspace/sub/.env', 'of the project');
      await put('owner/.ssh/id', 'precious');
      await put('owner/.env', 'precious');
      const place = join(base, 'owner');
      await env.execCommand(
        `mkdir -p ${place}/.ssh; touch ${place}/.env; mv sub other && ln -s ../owner sub`,
      );
      const { output } = await env.execCommand('cat sub/.ssh/id sub/.env; echo done');
      expect(output).toContain('done');
      expect(output).not.toContain('precious');
    });
  });
});

/** Makes a worktree in `folder` of the repository `<base>/repo`, whose only commit says `start`. */
function makeWorktree(base: string, folder: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: base, stdio: 'pipe' });
  if (!existsSync(join(base, 'repo'))) {
    git('init', '-q', 'repo');
    git('-C', 'repo', 'commit', '-q', '--allow-empty', '-m', 'start');
  }
  git('-C', 'repo', 'worktree', 'add', '-q', folder);
}
