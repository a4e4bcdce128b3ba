/**
 * Runs one check of a workspace. A check passes, fails, times out, or could not be run (`error`). The first line of its output states the
 * ending.
 */
import { errorMessage } from '../../base/values/errors.ts';
import type { ExecResult, ExecutionEnvironment } from '../../base/ports.ts';
import type { CheckResult } from '../../base/protocol/result.ts';
import type { VerificationStep } from '../../base/protocol/task.ts';
import { detectTestCommand } from './test-command.ts';
import { formatExitCode } from '../../base/system/exit-code.ts';

/** The tree to check. `listUncommittedFiles` compares it with the worker's commit, which the sandbox cannot change. */
export interface CheckContext {
  env: ExecutionEnvironment;
  workspace: { listUncommittedFiles: () => Promise<string[]> };
  /** Time left for all checks, in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal;
}

export type Finding = Pick<CheckResult, 'status' | 'output'>;
type CheckFunction = (step: VerificationStep, context: CheckContext) => Promise<Finding>;

const MAX_LISTED_FILES = 20;
/** Variables that make runners also print the names of passing tests, since runs are compared by test names. */
const TEST_NAME_VARIABLES = { PYTEST_ADDOPTS: '-rfEp', GOFLAGS: '-v' };

const toFinding = (status: Finding['status'], output: string): Finding => ({ status, output });

const checkFunctions: Record<string, CheckFunction> = {
  file_exists: async ({ target }, { env }) => {
    if (target === '') return toFinding('error', 'file_exists needs a path as its target');
    return (await env.fileExists(target))
      ? toFinding('pass', `${target} exists`)
      : toFinding('fail', `${target} does not exist`);
  },
  file_contains: async (step, { env }) => {
    const at = step.contains === undefined ? step.target.indexOf('::') : -1;
    const path = at >= 0 ? step.target.slice(0, at) : step.target;
    const wanted = at >= 0 ? step.target.slice(at + 2) : step.contains;
    if (!path || !wanted)
      return toFinding(
        'error',
        'file_contains needs a path and a text: `contains`, or a target like `path::text`',
      );
    if (!(await env.fileExists(path))) return toFinding('fail', `${path} does not exist`);
    return (await env.readFile(path)).text.includes(wanted)
      ? toFinding('pass', `${path} contains the text`)
      : toFinding('fail', `${path} does not contain ${JSON.stringify(wanted.slice(0, 200))}`);
  },
  command_succeeds: async ({ target }, context) =>
    target.trim() === ''
      ? toFinding('error', 'command_succeeds needs a command as its target')
      : toCommandFinding(target, await runCommand(target, context)),
  test_passes: async ({ target }, context) => {
    const command = await detectTestCommand(target.trim(), context.env);
    if (command === undefined)
      return toFinding('error', 'No tests were found (looked for npm, mix, make, pytest, cargo and go)');
    const result = await runCommand(command, context);
    // The runner is not installed.
    if (result.exitCode === 127)
      return toFinding('error', `\`${command}\` could not be run\n${result.output}`);
    return toCommandFinding(command, result);
  },
  git_clean: async (_step, { workspace }) => {
    const files = await workspace.listUncommittedFiles();
    if (files.length === 0) return toFinding('pass', 'No uncommitted changes');
    const more = files.length > MAX_LISTED_FILES ? [`… and ${files.length - MAX_LISTED_FILES} more`] : [];
    const lines = [`${files.length} uncommitted files`, ...files.slice(0, MAX_LISTED_FILES), ...more];
    return toFinding('fail', lines.join('\n'));
  },
};

/** Runs one check. */
export async function runCheck(step: VerificationStep, context: CheckContext): Promise<Finding> {
  const check = Object.hasOwn(checkFunctions, step.type) ? checkFunctions[step.type] : undefined;
  if (!check)
    return toFinding(
      'error',
      `Unknown check "${step.type}". Known: ${Object.keys(checkFunctions).join(', ')}`,
    );
  return check(step, context).catch((error: unknown) => toFinding('error', errorMessage(error)));
}

const runCommand = (command: string, { env, timeoutMs, signal }: CheckContext): Promise<ExecResult> =>
  env.execCommand(command, { timeoutMs, signal, appendedVariables: TEST_NAME_VARIABLES });

function toCommandFinding(command: string, result: ExecResult): Finding {
  const { aborted, timedOut, exitCode, signal } = result;
  const seconds = `${(result.durationMs / 1000).toFixed(1)} s`;
  const [status, ending]: [Finding['status'], string] = aborted
    ? ['skip', 'was stopped after']
    : timedOut
      ? ['timeout', 'timed out after']
      : exitCode === 0
        ? ['pass', 'passed in']
        : exitCode === null
          ? ['fail', `was killed by ${signal ?? 'a signal'} after`]
          : ['fail', `exited with code ${formatExitCode(exitCode)} after`];
  return toFinding(status, `\`${command}\` ${ending} ${seconds}\n${result.output}`);
}
