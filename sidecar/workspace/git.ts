/**
 * The one place that runs git. Every call names its git dir, so that a `.git` the task made is never looked at.
 * Nothing that a repository configures starts a program: hooks, fsmonitor, editors and signing are switched off, and a
 * call that does not talk to another repository may use no transport at all, so no ssh, credential helper or lazy
 * fetch can run. The environment is an allow-list. Time and output are bounded; messages carry no credentials.
 */
import { once } from 'node:events';
import { delimiter, isAbsolute } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import type { Failure, Outcome } from '../ports.ts';
import { maskCredentials } from '../addresses/without-credentials.ts';
import { signalGroup } from '../system/process-group.ts';
import { errorMessage } from '../values/errors.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
const MAX_MESSAGE_CHARS = 600;
const KILL_AFTER_MS = 2_000;
/** How long output is waited for after git's end: ssh's shared connection keeps stderr open. */
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
   * Talks to the repository a task comes from, with the operator's own git configuration: credentials, proxies,
   * `core.sshCommand`. Only out of a git dir that this room wrote.
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
  // Names that another system's git would take for its own folder.
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'commit.gpgSign=false',
  'push.gpgSign=false',
  'diff.ignoreSubmodules=all',
  'credential.interactive=false',
].flatMap((setting) => ['-c', setting]);

/** Programs that a repository's own configuration could name, and a call without the operator's never needs. */
const localSettings = [
  'core.sshCommand=false',
  'core.askPass=false',
  'gpg.program=false',
  // An empty helper forgets those that were named before.
  'credential.helper=',
  'protocol.allow=never',
].flatMap((setting) => ['-c', setting]);

/** Variables that git needs to find the operator's configuration, keys and proxies, and their credential helpers. */
const OPERATOR_VARIABLES =
  /^(PATH|HOME|TMPDIR|USER|LOGNAME|XDG_\w+|SSH_\w+|DBUS_SESSION_BUS_ADDRESS|KRB5\w*|GNUPGHOME|PASSWORD_STORE_DIR|GH_\w+|GITHUB_TOKEN|GCM_\w+|SSL_CERT_\w+|CURL_CA_BUNDLE|(https?|all|no)_proxy|GIT_(SSH|SSL|ASKPASS|PROXY|HTTP_)\w*)$/i;
const LOCAL_VARIABLES = /^(PATH|HOME|TMPDIR)$/;

/** Runs git; stdout as bytes, since file names and patches need not be UTF-8. Never rejects. */
export async function runGit(call: GitCall): Promise<Outcome<Buffer, GitFailure>> {
  if (call.signal?.aborted) return failed('aborted', 'Stopped before git was started', null, '');
  const child = execa('git', gitArguments(call), {
    cwd: call.workTree ?? call.gitDir,
    env: gitEnvironment(call),
    extendEnv: false,
    input: call.input ?? '',
    encoding: 'buffer',
    maxBuffer: call.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
    stripFinalNewline: false,
    reject: false,
    // A group of its own: a time-out must also end ssh, remote helpers and pack-objects.
    detached: true,
    cleanup: false,
  });
  const ending = endInTime(child, call);
  const result = await child;
  ending.release();
  const stderr = Buffer.from(result.stderr).toString('utf8');
  const exitCode = result.exitCode ?? null;
  const verb = `git ${call.args[0] ?? ''}`;
  const problem = ending.cause(verb);
  if (problem) return failed(problem.code, problem.message, exitCode, stderr);
  if (result.isMaxBuffer) {
    signalGroup(child.pid, 'SIGKILL');
    return failed('git_output_too_large', `${verb} wrote more than it may`, exitCode, stderr);
  }
  if (child.pid === undefined)
    return failed(
      'git_missing',
      `git could not be started: ${errorMessage(result.cause ?? result)}`,
      null,
      '',
    );
  if (exitCode !== 0) return failed('git_failed', `${verb}: ${summary(stderr)}`, exitCode, stderr);
  if (stderr !== '') call.onWarnings?.(stderr);
  return { ok: true, value: Buffer.from(result.stdout) };
}

/** `runGit` with stdout as trimmed text. */
export async function runGitText(call: GitCall): Promise<Outcome<string, GitFailure>> {
  const output = await runGit(call);
  return output.ok ? { ok: true, value: output.value.toString('utf8').trimEnd() } : output;
}

/** The id of what a name means in a repository; fails where it means nothing. */
export const idOf = (
  gitDir: string,
  name: string,
  signal?: AbortSignal,
): Promise<Outcome<string, GitFailure>> =>
  runGitText({ gitDir, args: ['rev-parse', '--verify', '--quiet', name], signal });

function gitArguments(call: GitCall): string[] {
  return [
    ...settings,
    ...(call.operatorConfig ? [] : localSettings),
    `--git-dir=${call.gitDir}`,
    ...(call.workTree === undefined ? [] : [`--work-tree=${call.workTree}`]),
    ...call.args,
  ];
}

function gitEnvironment(call: GitCall): NodeJS.ProcessEnv {
  const allowed = call.operatorConfig ? OPERATOR_VARIABLES : LOCAL_VARIABLES;
  const inherited = Object.entries(process.env).filter(([name]) => allowed.test(name));
  const config = Object.entries(call.config ?? {});
  return {
    ...Object.fromEntries(inherited),
    PATH: absoluteFolders(process.env.PATH),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    SSH_ASKPASS_REQUIRE: 'never',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    // Older versions do not know GIT_NO_LAZY_FETCH; without a transport they cannot fetch either.
    GIT_ALLOW_PROTOCOL: call.operatorConfig ? 'file:http:https:ssh' : 'none',
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

/** git runs in the work tree: a folder named from there would give programs of the repository. */
const absoluteFolders = (path = ''): string =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter);

interface Ending {
  /** Why the call was ended before its time; the first cause wins. */
  cause(verb: string): { code: string; message: string } | undefined;
  /** Clears timers and listeners. */
  release(): void;
}

/** Ends the whole group on abort and time-out, and stops reading soon after git's own end. */
function endInTime(child: ResultPromise, { timeoutMs = DEFAULT_TIMEOUT_MS, signal }: GitCall): Ending {
  const timers: NodeJS.Timeout[] = [];
  let ended: 'aborted' | 'git_timeout' | undefined;
  const after = (delayMs: number, run: () => void): void => void timers.push(setTimeout(run, delayMs));
  const letGo = (): void => {
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  };
  const end = (cause: 'aborted' | 'git_timeout'): void => {
    if (ended) return;
    ended = cause;
    signalGroup(child.pid, 'SIGTERM');
    after(KILL_AFTER_MS, () => signalGroup(child.pid, 'SIGKILL'));
  };
  const onAbort = (): void => end('aborted');
  signal?.addEventListener('abort', onAbort, { once: true });
  after(timeoutMs, () => end('git_timeout'));
  // Whatever still holds the pipes then has left the group or serves others; it is not waited for.
  void once(child, 'exit').then(
    () => after(DRAIN_MS, letGo),
    () => undefined,
  );
  return {
    cause: (verb) =>
      ended && {
        code: ended,
        message: ended === 'aborted' ? `${verb} was stopped` : `${verb} took longer than ${timeoutMs} ms`,
      },
    release: () => {
      timers.forEach(clearTimeout);
      signal?.removeEventListener('abort', onAbort);
      // The group goes with git: a child that outlived a time-out is ended too.
      if (ended) signalGroup(child.pid, 'SIGKILL');
    },
  };
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
