/**
 * Runs git; no other module does. Every call names its git dir, so that a `.git` of the task is never read. A repository's configuration
 * cannot start a program: hooks, fsmonitor, editors and signing are off. A call that does not contact another repository may use no
 * transport, so no ssh, credential helper or lazy fetch can run. The environment is an allow-list. Time and output are limited, and
 * messages contain no credentials.
 */
import { copyFile, stat, utimes } from 'node:fs/promises';
import { delimiter, isAbsolute } from 'node:path';
import { maskCredentials } from '../base/addresses/credentials.ts';
import { runWithReleasedPipes } from '../base/system/ignore-pipes.ts';
import { runProgram } from '../base/system/run-program.ts';
import { type Failure, type Outcome, success } from '../base/values/outcome.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
const MAX_MESSAGE_CHARS = 600;

export interface GitCall {
  /** Path of the git dir. Required, since git must not search for one from the current folder. */
  gitDir: string;
  workTree?: string;
  /** Index file. Default: the git dir's own. */
  indexFile?: string;
  args: readonly string[];
  input?: string | Buffer;
  timeoutMs?: number;
  maxOutputBytes?: number;
  signal?: AbortSignal;
  /**
   * Whether the call contacts the repository of a task and uses the operator's own git configuration: credentials, proxies,
   * `core.sshCommand`. Allowed only from a git dir that this module wrote.
   */
  usesOperatorConfig?: boolean;
  /** Further configuration. It is passed in the environment, so that `ps` does not show it. */
  config?: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string>>;
  /** Called with the warnings of a successful call. */
  onWarnings?: (stderr: string) => void;
}

/**
 * Failure of a call. `code`: `git_failed` (it ran and failed), `git_timeout`, `git_output_too_large`, `git_missing` (not installed),
 * `aborted`.
 */
export interface GitFailure extends Failure {
  exitCode: number | null;
  stderr: string;
}

const NULL_DEVICE = '/dev/null';
const SAFE_SETTINGS = [
  `core.hooksPath=${NULL_DEVICE}`,
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  `core.excludesFile=${NULL_DEVICE}`,
  `core.attributesFile=${NULL_DEVICE}`,
  'core.autocrlf=false',
  'core.safecrlf=false',
  'core.pager=cat',
  // Users and models see file names in a diff as they wrote them.
  'core.quotePath=false',
  'core.editor=false',
  'core.logAllRefUpdates=false',
  'gc.auto=0',
  'maintenance.auto=false',
  // Rejects names that git on another system would treat as its own folder.
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

/**
 * Settings that turn off the programs that a repository's configuration could name. Calls without the operator's configuration need none of
 * them.
 */
const LOCAL_SETTINGS = [
  'core.sshCommand=false',
  'core.askPass=false',
  'gpg.program=false',
  // An empty helper removes the helpers that were set before.
  'credential.helper=',
  'protocol.allow=never',
].flatMap((setting) => ['-c', setting]);

/** Variables with which git and credential helpers find the operator's configuration, keys and proxies. */
const OPERATOR_VARIABLES =
  /^(PATH|HOME|TMPDIR|USER|LOGNAME|XDG_\w+|SSH_\w+|DBUS_SESSION_BUS_ADDRESS|KRB5\w*|GNUPGHOME|PASSWORD_STORE_DIR|GH_\w+|GITHUB_TOKEN|GCM_\w+|SSL_CERT_\w+|CURL_CA_BUNDLE|(https?|all|no)_proxy|GIT_(SSH|SSL|ASKPASS|PROXY|HTTP_)\w*)$/i;
const LOCAL_VARIABLES = ['PATH', 'HOME', 'TMPDIR'];

/** Runs git; returns stdout as bytes, since file names and patches need not be UTF-8. Never rejects. */
export async function runGit(call: GitCall): Promise<Outcome<Buffer, GitFailure>> {
  if (call.signal?.aborted) return createGitFailure('aborted', 'Stopped before git was started', null, '');
  const { timeoutMs = DEFAULT_TIMEOUT_MS, workTree } = call;
  const run = () =>
    runProgram({
      file: 'git',
      args: buildGitArguments(call),
      cwd: workTree ?? call.gitDir,
      env: buildGitEnvironment(call),
      input: call.input ?? '',
      timeoutMs,
      maxOutputBytes: call.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
      signal: call.signal,
    });
  const { exitCode, earlyEnd, startError, stdout, stderr } = await (workTree === undefined
    ? run()
    : runWithReleasedPipes(workTree, run));
  if (startError !== undefined)
    return createGitFailure('git_missing', `git could not be started: ${startError}`, null, '');
  const verb = `git ${call.args[0] ?? ''}`;
  const errorText = stderr.toString('utf8');
  if (earlyEnd === 'aborted') return createGitFailure('aborted', `${verb} was stopped`, exitCode, errorText);
  if (earlyEnd === 'timeout')
    return createGitFailure('git_timeout', `${verb} took longer than ${timeoutMs} ms`, exitCode, errorText);
  if (earlyEnd !== undefined)
    return createGitFailure(
      'git_output_too_large',
      `${verb} wrote more output than allowed`,
      exitCode,
      errorText,
    );
  if (exitCode !== 0)
    return createGitFailure('git_failed', `${verb}: ${summarizeError(errorText)}`, exitCode, errorText);
  if (errorText !== '') call.onWarnings?.(errorText);
  return success(stdout);
}

/** Runs git; returns stdout as trimmed text. */
export async function runGitText(call: GitCall): Promise<Outcome<string, GitFailure>> {
  const output = await runGit(call);
  return output.ok ? success(output.value.toString('utf8').trimEnd()) : output;
}

/** Returns the object id that a name refers to in a repository; fails if there is none. */
export const resolveId = (
  gitDir: string,
  name: string,
  signal?: AbortSignal,
): Promise<Outcome<string, GitFailure>> =>
  runGitText({ gitDir, args: ['rev-parse', '--verify', '--quiet', name], signal });

/** Splits a list in which each entry ends with NUL. */
export function splitNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0, end = bytes.indexOf(0); end >= 0; start = end + 1, end = bytes.indexOf(0, start)) {
    parts.push(bytes.subarray(start, end));
  }
  return parts;
}

/** Joins entries to a list in which each ends with NUL. */
export const joinNul = (parts: readonly Buffer[]): Buffer =>
  Buffer.concat(parts.flatMap((part) => [part, NUL_BYTE]));
const NUL_BYTE = Buffer.from([0]);

/**
 * Copies an index with its modification time. git compares the times of files with this time to find files that may have changed within the
 * same second. With a later time, git would treat such a file as unchanged.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  const { mtimeMs } = await stat(from);
  await copyFile(from, to);
  // Rounded down to whole seconds, the precision in which git compares them. If rounded up, git would treat changed files as unchanged.
  const seconds = Math.floor(mtimeMs / 1000);
  await utimes(to, seconds, seconds);
}

/**
 * Returns settings that prevent git from starting any configured filter or merge driver, since a `.gitattributes` decides for which files
 * they run. Files with a merge driver become conflicts.
 */
export async function disablePrograms(call: Omit<GitCall, 'args'>): Promise<Record<string, string>> {
  const args = ['config', '--null', '--name-only', '--get-regexp', '^(filter|merge)\\..*\\.'];
  const listed = await runGitText({ ...call, args });
  const settings = (listed.ok ? listed.value.split('\0').filter(Boolean) : []).flatMap(
    (key): [string, string][] => {
      const name = key.slice(0, key.lastIndexOf('.'));
      if (name.startsWith('merge.')) return [[`${name}.driver`, 'false']];
      const programs = ['clean', 'smudge', 'process'].map((program): [string, string] => [
        `${name}.${program}`,
        '',
      ]);
      return [...programs, [`${name}.required`, 'false']];
    },
  );
  return Object.fromEntries(settings);
}

function buildGitArguments(call: GitCall): string[] {
  return [
    ...SAFE_SETTINGS,
    ...(call.usesOperatorConfig ? [] : LOCAL_SETTINGS),
    `--git-dir=${call.gitDir}`,
    ...(call.workTree === undefined ? [] : [`--work-tree=${call.workTree}`]),
    ...call.args,
  ];
}

function buildGitEnvironment(call: GitCall): NodeJS.ProcessEnv {
  const inherited = call.usesOperatorConfig
    ? Object.keys(process.env).filter((name) => OPERATOR_VARIABLES.test(name))
    : LOCAL_VARIABLES;
  const config = Object.entries(call.config ?? {});
  return {
    ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])),
    PATH: dropRelativeFolders(process.env.PATH),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    SSH_ASKPASS_REQUIRE: 'never',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    // Older versions ignore GIT_NO_LAZY_FETCH; without a transport they cannot fetch either.
    GIT_ALLOW_PROTOCOL: call.usesOperatorConfig ? 'file:http:https:ssh' : 'none',
    ...(call.usesOperatorConfig ? {} : { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: NULL_DEVICE }),
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

/** Removes relative folders from a PATH. git runs in the work tree, where such a folder could contain programs of the repository. */
const dropRelativeFolders = (path = ''): string =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter);

function summarizeError(stderr: string): string {
  const lines = maskCredentials(stderr)
    .split('\n')
    .map((line) => line.replace(/^(fatal|error): /, '').trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'));
  return lines.join('; ').slice(0, MAX_MESSAGE_CHARS) || 'no message';
}

const createGitFailure = (
  code: string,
  message: string,
  exitCode: number | null,
  stderr: string,
): { ok: false; failure: GitFailure } => ({
  ok: false,
  failure: { code, message: maskCredentials(message), exitCode, stderr: maskCredentials(stderr) },
});
