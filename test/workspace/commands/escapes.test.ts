/**
 * The suite of escapes: all of them are tried under bubblewrap as this user and, when
 * that is root, as an ordinary user as well.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import {
  chmod,
  copyFile,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { eventually } from '../../support/eventually.ts';
import { contentsOf } from '../../support/folder-contents.ts';
import { describeWith } from '../../support/requirements.ts';
import { type Attempt, attempts, SECRET } from './escape-attempts.ts';
import type { RunnerInput, RunnerResult } from './escape-runner.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const users = isRoot ? ['root', 'an ordinary user'] : ['an ordinary user'];

interface Stage {
  base: string;
  servers: Server[];
  connections: number;
  /** What the repository behind the workspace holds. */
  repository: Map<string, string>;
  results: Map<string, RunnerResult>;
}

async function listen(address: string | number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    if (typeof address === 'number') server.listen(address, '127.0.0.1', resolve);
    else server.listen(address, resolve);
  });
  return server;
}

/** Everything that an attempt could reach for, with a secret in it. */
async function buildStage(uid: number): Promise<Stage> {
  // Not in /tmp, where all would be hidden anyway, unless the user could not get there.
  const parent = join(process.cwd(), 'coverage');
  await mkdir(parent, { recursive: true });
  const reachable = spawnsAs(uid, ['test', '-x', parent]);
  const base = await realpath(await mkdtemp(join(reachable ? parent : tmpdir(), 'escapes-')));
  const files: Record<string, string> = {
    'outside.txt': 'outside',
    'other-task/secret.txt': SECRET,
    'state/state.db': SECRET,
    'home/.ssh/id_rsa': SECRET,
    'home/.npmrc': `//registry.npmjs.org/:_authToken=${SECRET}\n`,
    'home/.netrc': `machine example.org password ${SECRET}\n`,
    'home/.git-credentials': `https://me:${SECRET}@example.org\n`,
    'home/.gitconfig': '[credential]\n\thelper = store\n',
    'config/config.json': `{"hub":{"token":"${SECRET}"}}`,
    'config/token': SECRET,
    'public/secret.txt': SECRET,
    'clone/node_modules/p/a.js': 'shared',
    'home/.cache/tool/a': 'shared',
    'clone/node_modules/q/b.js': 'shared',
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(base, path, '..'), { recursive: true });
    await writeFile(join(base, path), content);
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: base, stdio: 'pipe' });
  git('init', '-q', 'repo');
  git('-C', 'repo', 'commit', '-q', '--allow-empty', '-m', 'start');
  git('-C', 'repo', 'worktree', 'add', '-q', '-b', 'task', join(base, 'workspace'));
  git('init', '-q', 'other-repo');
  git('-C', 'other-repo', 'commit', '-q', '--allow-empty', '-m', SECRET);
  await writeFile(join(base, 'workspace/.env'), 'A=1\n');
  await mkdir(join(base, 'workspace/node_modules'));
  await bundleRunner(join(base, 'runner.mjs'));
  execFileSync('chown', ['-R', `${uid}:${uid}`, base]);
  await chmod(base, 0o755);
  const servers = [await listen(0), await listen(`\0${base}`), await listen(join(base, 'server.sock'))];
  await chown(join(base, 'server.sock'), uid, uid);
  const stage: Stage = {
    base,
    servers,
    connections: 0,
    repository: await contentsOf(join(base, 'repo/.git')),
    results: new Map(),
  };
  for (const server of servers) server.on('connection', () => (stage.connections += 1));
  return stage;
}

async function bundleRunner(outfile: string): Promise<void> {
  await build({
    entryPoints: [join(process.cwd(), 'test/workspace/commands/escape-runner.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['@vscode/ripgrep'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  await copyFile('sidecar/base/system/launcher-process.mjs', join(dirname(outfile), 'launcher-process.mjs'));
}

function asUser(uid: number, command: string[]): [string, string[]] {
  const [file = '', ...rest] = command;
  if (!isRoot || uid === 0) return [file, rest];
  return ['setpriv', [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', ...command]];
}

function spawnsAs(uid: number, command: string[]): boolean {
  try {
    execFileSync(...asUser(uid, command), { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What a worker may have in its environment: none of it reaches a command. */
const SECRET_VARIABLES = Object.fromEntries(
  'DEPLOY_TOKEN MYSQL_PWD PGPASSWORD SENTRY_DSN SLACK_WEBHOOK AZURE_CONNECTION_STRING AWS_SECRET_ACCESS_KEY NPM_TOKEN GITHUB_TOKEN SIDECAR_TOKEN npm_config__auth DATABASE_URL'
    .split(' ')
    .map((name) => [name, SECRET]),
);
const OTHER_VARIABLES = {
  HTTPS_PROXY: `http://me:${SECRET}@proxy.example.org:8080`,
  SSH_AUTH_SOCK: '/tmp/agent.sock',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus',
  XDG_RUNTIME_DIR: '/run/user/0',
  DISPLAY: ':0',
};

async function runAttempts(
  stage: Stage,
  uid: number,
  sandbox: 'required' | 'off',
  tried: readonly Attempt[],
): Promise<void> {
  const { base, servers } = stage;
  const address = servers[0]?.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const fill = (text: string) =>
    text
      .replaceAll('$BASE', base)
      .replaceAll('$PORT', String(port))
      .replaceAll('$ABSTRACT', base)
      .replaceAll('$SOCKET', join(base, 'server.sock'));
  const { bavail, bsize } = await statfs(base);
  const input: RunnerInput = {
    options: {
      workspace: join(base, 'workspace'),
      sandbox,
      gitDirs: [join(base, 'repo/.git')],
      privateCaches: [
        { source: join(base, 'home/.cache/tool'), path: '/tmp/.home/.cache/tool', variables: {} },
      ],
      hiddenPaths: [join(base, 'state'), join(base, 'other-task')],
      sharedFolders: [
        { source: join(base, 'clone/node_modules'), path: join(base, 'workspace/node_modules') },
      ],
      limits: {
        maxFileBytes: 32 * 1024 ** 2,
        maxMemoryBytes: 512 * 1024 ** 2,
        maxProcesses: 200,
        minFreeDiskBytes: bavail * bsize - 200 * 1024 ** 2,
      },
    },
    commands: tried.map(({ name, command, timeoutMs }) => ({
      name,
      command: fill(command),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })),
  };
  await writeFile(join(base, 'input.json'), JSON.stringify(input));
  const node = [process.execPath, join(base, 'runner.mjs'), join(base, 'input.json')];
  // Descriptors on the outer folder are passed on, as a careless parent of the worker would; Node itself closes only low ones.
  // Without a sandbox a fork bomb is the machine's: this bound is for the case that ours fails.
  const guard = sandbox === 'off' && isRoot ? ['prlimit', '--nproc=400', ...node] : node;
  const [file, args] = asUser(uid, guard);
  const passOn = ['-c', `exec 9<"$0" 40<"$0"; exec "$@"`, base, file, ...args];
  const { stdout } = await promisify(execFile)('bash', passOn, {
    env: { PATH: process.env.PATH, HOME: join(base, 'home'), ...SECRET_VARIABLES, ...OTHER_VARIABLES },
    maxBuffer: 64 * 1024 ** 2,
    timeout: 110_000,
  });
  for (const result of JSON.parse(stdout) as RunnerResult[]) stage.results.set(result.name, result);
}

/** Command lines of processes that an attempt began. */
async function leftBehind(): Promise<string[]> {
  const lines = (await readdir('/proc'))
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).filter((line) => line.includes('987654') || line.includes('bomb.sh'));
}

function expectStopped({ results }: Stage, { name, wants, judgedByHost }: Attempt): void {
  const result = results.get(name);
  expect(result).toBeDefined();
  const output = result?.output ?? '';
  if (!judgedByHost) expect(output).not.toContain('ESCAPED');
  expect(output).not.toContain(SECRET);
  if (wants) expect(output).toMatch(wants);
}

async function expectNothingLeft(): Promise<void> {
  // The kernel takes a moment to end all that a sandbox held.
  let left = await leftBehind();
  const look = async () => void (left = await leftBehind());
  await eventually(() => left.length === 0, 'all processes of the attempts to end', look);
  expect(left).toEqual([]);
}

describeWith('bubblewrap', 'escapes', () => {
  for (const user of users) {
    describe(`as ${user}`, () => {
      const uid = user === 'root' ? 0 : isRoot ? NOBODY : (process.getuid?.() ?? 0);
      let stage: Stage | undefined;

      beforeAll(async () => {
        stage = await buildStage(uid);
        await runAttempts(stage, uid, 'required', attempts);
      }, 120_000);

      afterAll(async () => {
        for (const server of stage?.servers ?? []) server.close();
        await rm(stage?.base ?? '', { recursive: true, force: true });
      });

      test.each(attempts)('refuses $name', (attempt) => expectStopped(stage!, attempt));

      test('leaves the host as it was', async () => {
        const { base, connections, repository } = stage!;
        expect(await readFile(join(base, 'outside.txt'), 'utf8')).toBe('outside');
        expect(await readFile(join(base, 'state/state.db'), 'utf8')).toBe(SECRET);
        expect(await readFile(join(base, 'workspace/.env'), 'utf8')).toBe('A=1\n');
        expect(await readdir(base)).not.toContain('planted');
        expect(await contentsOf(join(base, 'repo/.git'))).toEqual(repository);
        for (const file of ['clone/node_modules/p/a.js', 'clone/node_modules/q/b.js', 'home/.cache/tool/a'])
          expect(await readFile(join(base, file), 'utf8')).toBe('shared');
        expect(await readdir(join(base, 'home/.cache/tool'))).toEqual(['a']);
        expect(await readdir(join(base, 'clone/node_modules'))).toEqual(['p', 'q']);
        expect(connections).toBe(0);
      });

      test('leaves no process behind', expectNothingLeft);
    });
  }
});

describe('without a sandbox, as an ordinary user', () => {
  const uid = isRoot ? NOBODY : (process.getuid?.() ?? 0);
  const tried = attempts.filter(({ alsoWithout }) => alsoWithout);
  let stage: Stage | undefined;

  beforeAll(async () => {
    stage = await buildStage(uid);
    await runAttempts(stage, uid, 'off', tried);
  }, 120_000);

  afterAll(async () => {
    for (const server of stage?.servers ?? []) server.close();
    await rm(stage?.base ?? '', { recursive: true, force: true });
  });

  test.each(tried)('stops $name', (attempt) => expectStopped(stage!, attempt));
  test('leaves no process behind', expectNothingLeft);
});
