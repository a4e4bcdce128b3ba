/**
 * Where the projects of the corpus lie: in a cache outside of the repository, with a home folder of their own, so that files
 * which a check leaves there are seen.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { findProgramFolder } from '../../../sidecar/base/system/home-folder.ts';

const root = join(process.env.CORPUS_CACHE ?? findProgramFolder('CACHE'), 'corpus');
export const home = join(root, 'home');
export const folderOf = (project: string): string => join(root, project);
/** Programs that few machines have, in a Python of their own: `uv`, `poetry`, `tox`. */
export const tools = join(root, 'tools');

/** What npm, Jest and tool chains of this process say of themselves is not of the projects. */
const NOT_THEIRS =
  /^(?:npm_|JEST|NODE_(?!EXTRA_CA_CERTS)|INIT_CWD|GIT_|GO|CARGO_|PYENV|PNPM|XDG_|VIRTUAL_ENV|UV_|MAVEN|PYTHON|REQUIRE_|TEST_|BENCH_|CORPUS_|SIDECAR_|CI$)/;

/** Variables of the projects' owner, who starts compilers themselves, not scripts that choose one by the home folder. */
export function ownersEnv(): Record<string, string> {
  mkdirSync(home, { recursive: true });
  const kept = Object.entries(process.env).filter(([name]) => !NOT_THEIRS.test(name));
  const system = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    PATH: [...new Set([join(tools, 'bin'), ...compilers, ...system])].join(':'),
    HOME: home,
    LANG: 'C.UTF-8',
    // Java asks the system, not HOME.
    MAVEN_OPTS: `-Duser.home=${home}`,
    GRADLE_OPTS: `-Duser.home=${home}`,
    // Versions of equal length that are checked out within a second would share compiled code.
    PYTHONDONTWRITEBYTECODE: '1',
    // A machine without network skips soon.
    npm_config_fetch_retries: '1',
    npm_config_fetch_retry_mintimeout: '1000',
    PIP_RETRIES: '1',
  };
}

const compilers = [
  ['go', 'env', 'GOROOT'],
  ['rustc', '--print', 'sysroot'],
  [
    'python3',
    '-c',
    'import os, sys; print(os.path.dirname(os.path.dirname(os.path.realpath(sys.executable))))',
  ],
].flatMap(([program = '', ...args]) => {
  try {
    return join(execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' }).trim(), 'bin');
  } catch {
    return [];
  }
});

export interface Ran {
  exitCode: number | undefined;
  /** What it printed to both streams. */
  output: string;
  ms: number;
}

/** Runs a command line as the owner would. Never rejects. */
export async function runAsOwner(command: string, cwd: string, timeoutMs = 600_000): Promise<Ran> {
  const ran = await execa('bash', ['-c', command], {
    cwd,
    env: ownersEnv(),
    extendEnv: false,
    all: true,
    reject: false,
    stdin: 'ignore',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  return { exitCode: ran.exitCode, output: ran.all, ms: Math.round(ran.durationMs) };
}
