/**
 * Runs one check of a workspace. A check passes, fails, times out, or could not be run (`error`). The first line of its output states the
 * ending.
 */
import { errorMessage } from '../../base/values/errors.ts';
import type { ExecResult, ExecutionEnvironment } from '../../base/ports.ts';
import type { CheckResult } from '../../base/protocol/result.ts';
import type { VerificationStep } from '../../base/protocol/task.ts';
import { testCommand } from './test-command.ts';
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
type Check = (step: VerificationStep, context: CheckContext) => Promise<Finding>;

const MAX_LISTED_FILES = 20;

const toFinding = (status: Finding['status'], output: string): Finding => ({ status, output });

const checks: Record<string, Check> = {
  file_exists: async ({ target }, { env }) => {
    if (target === '') return toFinding('error', 'file_exists needs a path as its target');
    return (await env.fileExists(target))
      ? toFinding('pass', `${target} exists`)
      : toFinding('fail', `${target} does not exist`);
  },
  file_contains: fileContains,
  command_succeeds: async ({ target }, context) => {
    if (target.trim() === '') return toFinding('error', 'command_succeeds needs a command as its target');
    return toCommandFinding(target, await run(target, context));
  },
  test_passes: async ({ target }, context) => {
    const command = await testCommand(target.trim(), context.env);
    if (command === undefined) {
      return toFinding('error', 'No tests were found (looked for npm, mix, make, pytest, cargo and go)');
    }
    const result = await run(command, context);
    // The runner is not installed.
    if (result.exitCode === 127)
      return toFinding('error', `\`${command}\` could not be run\n${result.output}`);
    return toCommandFinding(command, result);
  },
  git_clean: checkGitClean,
};

/** Runs one check. */
export async function runCheck(step: VerificationStep, context: CheckContext): Promise<Finding> {
  const check = Object.hasOwn(checks, step.type) ? checks[step.type] : undefined;
  if (!check) {
    return toFinding('error', `Unknown check "${step.type}". Known: ${Object.keys(checks).join(', ')}`);
  }
  try {
    return await check(step, context);
  } catch (error) {
    return toFinding('error', errorMessage(error));
  }
}

async function fileContains(step: VerificationStep, { env }: CheckContext): Promise<Finding> {
  const separator = step.target.indexOf('::');
  const path = step.contains === undefined && separator >= 0 ? step.target.slice(0, separator) : step.target;
  const wanted = step.contains ?? (separator >= 0 ? step.target.slice(separator + 2) : '');
  if (path === '' || wanted === '') {
    return toFinding(
      'error',
      'file_contains needs a path and a text: `contains`, or a target like `path::text`',
    );
  }
  if (!(await env.fileExists(path))) return toFinding('fail', `${path} does not exist`);
  const { text } = await env.readFile(path);
  return text.includes(wanted)
    ? toFinding('pass', `${path} contains the text`)
    : toFinding('fail', `${path} does not contain ${JSON.stringify(wanted.slice(0, 200))}`);
}

async function checkGitClean(_step: VerificationStep, { workspace }: CheckContext): Promise<Finding> {
  const files = await workspace.listUncommittedFiles();
  if (files.length === 0) return toFinding('pass', 'No uncommitted changes');
  const more = files.length > MAX_LISTED_FILES ? [`… and ${files.length - MAX_LISTED_FILES} more`] : [];
  return toFinding(
    'fail',
    [`${files.length} uncommitted files`, ...files.slice(0, MAX_LISTED_FILES), ...more].join('\n'),
  );
}

/** Variables that make runners also print the names of passing tests, since runs are compared by test names. */
const TEST_NAME_VARIABLES = { PYTEST_ADDOPTS: '-rfEp', GOFLAGS: '-v' };

const run = (command: string, { env, timeoutMs, signal }: CheckContext): Promise<ExecResult> =>
  env.execCommand(command, { timeoutMs, signal, appendedVariables: TEST_NAME_VARIABLES });

function toCommandFinding(command: string, result: ExecResult): Finding {
  const seconds = `${(result.durationMs / 1000).toFixed(1)} s`;
  if (result.aborted)
    return toFinding('skip', `\`${command}\` was stopped after ${seconds}\n${result.output}`);
  if (result.timedOut)
    return toFinding('timeout', `\`${command}\` was ended after ${seconds}\n${result.output}`);
  if (result.exitCode === 0)
    return toFinding('pass', `\`${command}\` passed in ${seconds}\n${result.output}`);
  const how =
    result.exitCode === null
      ? `was ended by ${result.signal ?? 'a signal'}`
      : `exited with code ${formatExitCode(result.exitCode)}`;
  return toFinding('fail', `\`${command}\` ${how} after ${seconds}\n${result.output}`);
}
