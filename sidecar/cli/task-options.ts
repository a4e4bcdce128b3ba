/** The options shared by `run` and `submit`, and the submission built from them. */
import { resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { errorMessage } from '../base/values/errors.ts';
import { isRecord, removeByteOrderMark } from '../base/values/json.ts';
import { createUsageError } from './exit-codes.ts';

export interface TaskOptions {
  repo?: string;
  subfolder?: string;
  branch?: string;
  model?: string;
  agentic?: boolean;
  simple?: boolean;
  planned?: boolean;
  maxIterations?: number;
  attempts?: number;
  ladder?: string[];
  timeout?: number;
  verify?: string[];
  criterion?: string[];
  readOnly?: boolean;
  /** Globs of the checks' files that the task may change, or `true` for all of them. */
  mayChangeChecks?: true | string[];
  budgetTokens?: number;
  priority?: number;
  label?: string[];
  worker?: string;
  /** Delay of the start, in seconds. */
  delay?: number;
  maxAttempts?: number;
  idempotencyKey?: string;
  /** A file with a submission as JSON, such as a result's `follow_up`; other options override it. */
  file?: string;
}

export function addTaskOptions<C extends Command>(command: C): C {
  return command
    .option(
      '--repo <dir-or-url>',
      'repository of the task (default: for `run` the current one, else an empty folder)',
    )
    .option(
      '--subfolder <path>',
      'folder of the repository for checks and relative paths (default: the folder of --repo)',
    )
    .option('--branch <name>', 'branch, tag or commit to start from, e.g. HEAD~1 (default: HEAD)')
    .option('--model <name>', 'model to use (default: model.default, else the installed one that fits best)')
    .addOption(
      new Option('--agentic', 'work in a loop with tools (default: see routing.agentic)').conflicts('simple'),
    )
    .addOption(new Option('--simple', 'one answer without tools').conflicts(['agentic', 'planned']))
    .addOption(new Option('--planned', 'plan first, then work step by step').conflicts('simple'))
    .option(
      '--max-iterations <n>',
      'maximum number of answers of the model (default: limits.maxIterations, 10)',
      parsePositiveInteger,
    )
    .option(
      '--attempts <n>',
      'maximum number of attempts if checks fail (default: 1, or one per --ladder model)',
      parsePositiveInteger,
    )
    .option(
      '--ladder <models>',
      'models for successive attempts, e.g. A,B (default: model.ladder)',
      parseModels,
    )
    .option(
      '--timeout <seconds>',
      'time limit of the whole task in seconds, e.g. 900 (default: 1800, with --simple 600)',
      parsePositiveInteger,
    )
    .option(
      '--verify <command>',
      'command that must succeed after the task, e.g. "npm test" (repeatable)',
      collectValue,
    )
    .option('--criterion <text>', 'criterion for a complete result, in words (repeatable)', collectValue)
    .option('--read-only', 'change nothing: the task gets no tools that edit files')
    .option(
      '--may-change-checks [globs...]',
      'tests and settings that the task may change, e.g. "test/**"; without globs: all (default: none)',
    )
    .option(
      '--budget-tokens <n>',
      'maximum number of tokens, read and written (default: budgets.perTask)',
      parsePositiveInteger,
    )
    .option('--file <file>', 'read the task from a JSON file, e.g. a result’s follow_up; - is stdin');
}

/**
 * Returns the payload of `POST /api/tasks` from the command line's text or a file; options override it. A local
 * repository becomes an absolute path. Throws `CommandError`.
 */
export async function readSubmission(
  description: string | undefined,
  options: TaskOptions,
): Promise<Record<string, unknown>> {
  if (description === undefined && options.file === undefined) {
    const globs = Array.isArray(options.mayChangeChecks)
      ? ' Words after --may-change-checks are read as globs: write the task before this option.'
      : '';
    throw createUsageError(
      'task_missing',
      `Write the description of the task in quotes, or name a file with --file.${globs}`,
    );
  }
  const fileContent = options.file === undefined ? {} : await readTaskFile(options.file);
  const optionContent = createSubmission(description, options);
  const metadata = { ...(fileContent.metadata as object | undefined), ...(optionContent.metadata as object) };
  const payload: Record<string, unknown> = { ...fileContent, ...optionContent, metadata };
  if (typeof payload.description !== 'string' || payload.description.trim() === '') {
    throw createUsageError('task_missing', 'The task has no description. Add it.');
  }
  return payload;
}

async function readTaskFile(path: string): Promise<Record<string, unknown>> {
  const name = path === '-' ? 'stdin' : path;
  let content: unknown;
  try {
    content = JSON.parse(removeByteOrderMark(await readFile(path === '-' ? '/dev/stdin' : path, 'utf8')));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read';
    const message = errorMessage(error);
    throw createUsageError('task_file_invalid', `The task in ${name} ${reason}: ${message}`);
  }
  if (isRecord(content)) return { ...content };
  throw createUsageError('task_file_invalid', `The task in ${name} must be one JSON object.`);
}

function createSubmission(description: string | undefined, options: TaskOptions): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  if (options.maxIterations !== undefined) metadata.max_iterations = options.maxIterations;
  if (options.timeout !== undefined) metadata.timeout_ms = options.timeout * 1000;
  if (options.attempts !== undefined) metadata.attempts = options.attempts;
  if (options.ladder !== undefined) metadata.models = options.ladder;
  if (options.readOnly) metadata.read_only = true;
  // Also set in the metadata: a hub that does not know this field still passes the metadata on.
  if (options.subfolder !== undefined) metadata.subfolder = options.subfolder;
  const agentic = options.agentic ? true : options.simple ? false : undefined;
  return removeUndefined({
    description,
    repo: options.repo === undefined ? undefined : resolveRepo(options.repo),
    subfolder: options.subfolder,
    branch: options.branch,
    metadata,
    agentic,
    workflow: options.planned ? 'planned' : undefined,
    model: options.model,
    priority: options.priority,
    labels: options.label,
    agent_id: options.worker,
    delay_ms: options.delay === undefined ? undefined : options.delay * 1000,
    max_attempts: options.maxAttempts,
    idempotency_key: options.idempotencyKey,
    may_change_checks: options.mayChangeChecks,
    budget: options.budgetTokens === undefined ? undefined : { max_tokens: options.budgetTokens },
    success_criteria: options.criterion,
    verification_steps: options.verify?.map((target) => ({ type: 'command_succeeds', target })),
  });
}

function resolveRepo(repo: string): string {
  // Addresses (`https://…`, or `host:path` with a colon before the first slash) are resolved by the worker.
  const isAddress = /^[^/]+:/u.test(repo) && !existsSync(repo);
  return isAddress || repo.startsWith('~/') ? repo : resolve(repo);
}

/** Returns the value; throws if it is empty. */
export function parseNonEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('Write a value, or omit the option.');
  return value;
}

export function parsePositiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('Write a whole number of at least 1.');
  return number;
}

export function parseInteger(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('Write a whole number.');
  return number;
}

/** Parses names of models: `A,B`. */
function parseModels(value: string): string[] {
  const names = value.split(',').map((name) => name.trim());
  if (names.includes(''))
    throw new InvalidArgumentError('Write names of models separated by commas, e.g. A,B.');
  return names;
}

/** Collects the values of a repeatable option. */
export function collectValue(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), parseNonEmpty(value)];
}

function removeUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
}
