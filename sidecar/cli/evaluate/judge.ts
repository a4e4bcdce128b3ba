/**
 * Runs a suite's commands in a finished tree, one by one in the sandbox, each with a time limit. The worker
 * never sees the hidden commands.
 */
import { join } from 'node:path';
import { LocalExecutionEnvironment } from '../../workspace/local-environment.ts';
import { buildEnvironmentOptions } from '../../solving/task/environment-options.ts';
import { errorMessage } from '../../base/values/errors.ts';
import type { Config } from '../../base/config/schema.ts';
import type { EvaluationTask } from './suite.ts';
import { addPackages, copyOverlay } from './trees.ts';

/** Timeout of one command. */
const CHECK_TIMEOUT_MS = 60_000;
const MAX_OUTPUT_CHARS = 4000;

export interface CommandOutcome {
  command: string;
  passed: boolean;
  /** Last part of the command's output, or the reason why the command could not run. */
  output: string;
  durationMs: number;
}

export interface CheckOptions {
  /** Sections of the configuration that determine how commands run. */
  config: Pick<Config, 'sandbox' | 'tools'>;
}

/** Runs commands in `dir`. Rejects only if a required sandbox does not work. */
export async function runCommands(
  commands: readonly string[],
  dir: string,
  { config }: CheckOptions,
): Promise<CommandOutcome[]> {
  if (commands.length === 0) return [];
  const environment = new LocalExecutionEnvironment({ ...buildEnvironmentOptions(config), workspace: dir });
  try {
    await environment.initialize();
    const outcomes: CommandOutcome[] = [];
    for (const command of commands) outcomes.push(await runSingleCommand(environment, command));
    return outcomes;
  } finally {
    await environment.cleanup();
  }
}

async function runSingleCommand(
  environment: LocalExecutionEnvironment,
  command: string,
): Promise<CommandOutcome> {
  try {
    const result = await environment.execCommand(command, { timeoutMs: CHECK_TIMEOUT_MS, isApproved: true });
    const timeoutNote = result.timedOut ? `\n(timed out after ${CHECK_TIMEOUT_MS / 1000} s)` : '';
    const output = result.output.slice(-MAX_OUTPUT_CHARS) + timeoutNote;
    const passed = result.exitCode === 0 && !result.timedOut;
    return { command, passed, output, durationMs: Math.round(result.durationMs) };
  } catch (error) {
    return { command, passed: false, output: errorMessage(error), durationMs: 0 };
  }
}

/** Copies the hidden files over a finished tree and runs the hidden commands. */
export async function runHiddenCommands(
  task: EvaluationTask,
  dir: string,
  options: CheckOptions,
): Promise<CommandOutcome[]> {
  await addPackages(task, dir);
  await copyOverlay(join(task.dir, 'hidden'), dir);
  return runCommands(task.hidden, dir, options);
}

export const haveAllPassed = (outcomes: readonly CommandOutcome[]): boolean =>
  outcomes.every(({ passed }) => passed);

/** Returns whether a text answer matches all required patterns and none of the excluded patterns. */
export function matchesAnswer({ answer }: Pick<EvaluationTask, 'answer'>, text: string): boolean {
  const isMatch = (source: string): boolean => new RegExp(source, 'iu').test(text);
  return answer.matches.every(isMatch) && !answer.excludes.some(isMatch);
}
