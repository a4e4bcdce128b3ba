/**
 * The one place that runs git. Every call names its git dir (and work tree), so that a `.git` the task made is
 * never looked at, and switches off what could run a program on the host: hooks, fsmonitor, pagers, editors,
 * external diffs, configuration files other than the repository's own (which this room writes).
 * Every call is bounded in time and output; URLs in messages carry no credentials.
 * Plain `spawn` instead of execa: measured 3 ms a call against 4, and no 30 ms for the first one.
 */
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Failure, Outcome } from '../ports.ts';
import { maskCredentials } from '../addresses/without-credentials.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
const MAX_STDERR_BYTES = 64 * 1024;
const MAX_MESSAGE_CHARS = 600;
const KILL_AFTER_MS = 2_000;
/** How long stderr is waited for after git's end: ssh's shared connection keeps it open. */
const DRAIN_MS = 500;

export interface GitCall {
  /** Always explicit: nothing is discovered from the current folder. */
  gitDir: string;
  workTree?: string;
  /** Another index than the git dir's own. */
  indexFile?: string;
  args: readonly string[];
  input?: string | Buffer;
  timeoutMs?: number;
  maxOutputBytes?: number;
  signal?: AbortSignal;
  /**
   * Reads the operator's own git configuration too: credentials, proxies, `core.sshCommand`. Only for talking to
   * the repository a task comes from, out of a git dir that tasks cannot write.
   */
  operatorConfig?: boolean;
  /** Further configuration, handed over in the environment (not in `ps`). */
  config?: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string>>;
  /** Warnings of a call that succeeded. */
  onWarnings?: (stderr: string) => void;
}

/**
 * Why a call failed. `code`: `git_failed` (it ran and said no), `git_timeout`, `git_output_too_large`,
 * `git_missing` (not installed), `aborted`.
 */
export interface GitFailure extends Failure {
  exitCode: number | null;
  stderr: string;
}

const nullDevice = '/dev/null';
const settings = [
  `core.hooksPath=${nullDevice}`,
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  `core.excludesFile=${nullDevice}`,
  `core.attributesFile=${nullDevice}`,
  'core.autocrlf=false',
  'core.safecrlf=false',
  'core.pager=cat',
  // People and models read the names in a diff as they wrote them.
  'core.quotePath=false',
  'core.editor=false',
  'core.logAllRefUpdates=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'commit.gpgSign=false',
  'push.gpgSign=false',
  'diff.ignoreSubmodules=all',
  'credential.interactive=false',
].flatMap((setting) => ['-c', setting]);

/** Runs git; stdout as bytes, since file names and patches need not be UTF-8. Never rejects. */
export async function runGit(call: GitCall): Promise<Outcome<Buffer, GitFailure>> {
  if (call.signal?.aborted) return failed('aborted', 'Stopped before git was started', null, '');
  const args = [...settings, `--git-dir=${call.gitDir}`];
  if (call.workTree !== undefined) args.push(`--work-tree=${call.workTree}`);
  args.push(...call.args);
  const child = spawn('git', args, {
    cwd: call.workTree ?? call.gitDir,
    env: gitEnvironment(call),
    stdio: 'pipe',
    // A group of its own: a time-out must also end ssh, remote helpers and pack-objects.
    detached: true,
  });
  return collect(child, call);
}

/** `runGit` with stdout as trimmed text. */
export async function runGitText(call: GitCall): Promise<Outcome<string, GitFailure>> {
  const output = await runGit(call);
  return output.ok ? { ok: true, value: output.value.toString('utf8').trimEnd() } : output;
}

function gitEnvironment(call: GitCall): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) =>
    call.operatorConfig
      ? !/^GIT_(?!SSH|SSL|ASKPASS|PROXY|HTTP_)/.test(name)
      : /^(PATH|HOME|TMPDIR)$/.test(name),
  );
  const config = Object.entries(call.config ?? {});
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    SSH_ASKPASS_REQUIRE: 'never',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_ALLOW_PROTOCOL: 'file:http:https:ssh',
    ...(call.operatorConfig ? {} : { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: nullDevice }),
    ...(call.indexFile === undefined ? {} : { GIT_INDEX_FILE: call.indexFile }),
    ...(config.length === 0 ? {} : { GIT_CONFIG_COUNT: String(config.length) }),
    ...Object.fromEntries(
      config.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...call.env,
  };
}

/** Why a call is ended before its time; the first cause wins. */
type Ending = { code: string; message: string };

function collect(child: ChildProcessWithoutNullStreams, call: GitCall): Promise<Outcome<Buffer, GitFailure>> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES, signal } = call;
  const verb = `git ${call.args[0] ?? ''}`;
  return new Promise((resolve) => {
    const output: Buffer[] = [];
    let outputBytes = 0;
    let stderr = '';
    let ending: Ending | undefined;
    const timers: NodeJS.Timeout[] = [];
    const settle = (exitCode: number | null, problem = ending): void => {
      timers.forEach(clearTimeout);
      signal?.removeEventListener('abort', onAbort);
      resolve(outcomeOf({ output, stderr, exitCode, verb, problem }, call));
    };
    const end = (cause: Ending): void => {
      if (ending) return;
      ending = cause;
      killGroup(child, 'SIGTERM');
      timers.push(setTimeout(() => killGroup(child, 'SIGKILL'), KILL_AFTER_MS));
      // Whatever still holds its pipes then has left the group; it is not waited for.
      timers.push(setTimeout(() => settle(null), KILL_AFTER_MS + DRAIN_MS));
    };
    const onAbort = (): void => end({ code: 'aborted', message: `${verb} was stopped` });
    signal?.addEventListener('abort', onAbort, { once: true });
    timers.push(
      setTimeout(
        () => end({ code: 'git_timeout', message: `${verb} took longer than ${timeoutMs} ms` }),
        timeoutMs,
      ),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      outputBytes += chunk.length;
      if (outputBytes <= maxOutputBytes) output.push(chunk);
      else end({ code: 'git_output_too_large', message: `${verb} wrote more than ${maxOutputBytes} bytes` });
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR_BYTES) stderr += chunk.toString('utf8');
    });
    // A git that ends early closes its stdin; its exit code tells why.
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.input ?? '');
    whenDone(child, timers, settle);
  });
}

/** Calls `done` when git has ended and its output is read. A helper of ssh may hold stderr open for long. */
function whenDone(
  child: ChildProcessWithoutNullStreams,
  timers: NodeJS.Timeout[],
  done: (exitCode: number | null, problem?: Ending) => void,
): void {
  let exited: { code: number | null } | undefined;
  let read = false;
  const drain = (): void => {
    if (!exited || !read) return;
    const { code } = exited;
    timers.push(setTimeout(() => done(code), DRAIN_MS));
  };
  child.on('error', (error) =>
    done(null, { code: 'git_missing', message: `git could not be started: ${error.message}` }),
  );
  child.stdout.on('end', () => {
    read = true;
    drain();
  });
  child.on('exit', (code) => {
    exited = { code };
    drain();
  });
  child.on('close', (code) => done(code));
}

interface Finished {
  output: readonly Buffer[];
  stderr: string;
  exitCode: number | null;
  verb: string;
  problem: Ending | undefined;
}

function outcomeOf(finished: Finished, call: GitCall): Outcome<Buffer, GitFailure> {
  const { output, stderr, exitCode, verb, problem } = finished;
  if (problem) return failed(problem.code, problem.message, exitCode, stderr);
  if (exitCode !== 0) return failed('git_failed', `${verb}: ${summary(stderr)}`, exitCode, stderr);
  if (stderr !== '') call.onWarnings?.(stderr);
  return { ok: true, value: Buffer.concat(output) };
}

function killGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // ESRCH: the whole group has ended, which is what was wanted.
  }
}

function summary(stderr: string): string {
  const lines = maskCredentials(stderr)
    .split('\n')
    .map((line) => line.replace(/^(fatal|error): /, '').trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'));
  return lines.join('; ').slice(0, MAX_MESSAGE_CHARS) || 'no message';
}

const failed = (
  code: string,
  message: string,
  exitCode: number | null,
  stderr: string,
): { ok: false; failure: GitFailure } => ({
  ok: false,
  failure: { code, message: maskCredentials(message), exitCode, stderr: maskCredentials(stderr) },
});
