/** The options that `run` and `submit` share, and the submission that they become. */
import { resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { errorMessage } from '../values/errors.ts';
import { isRecord, withoutByteOrderMark } from '../values/json.ts';
import { usageError } from './exit-codes.ts';

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
  /** Globs, or true for all. */
  mayChangeChecks?: true | string[];
  budgetTokens?: number;
  priority?: number;
  label?: string[];
  /** The only worker that may run it. */
  worker?: string;
  /** Seconds. */
  delay?: number;
  maxAttempts?: number;
  idempotencyKey?: string;
  /** A whole submission as JSON, such as a result's `follow_up`; the other options override it. */
  file?: string;
}

/** Adds the options to a command. */
export function addTaskOptions<C extends Command>(command: C): C {
  return command
    .option(
      '--repo <dir-or-url>',
      'repository to work on (default of `run`: the one of the current folder; else an empty folder)',
    )
    .option(
      '--subfolder <path>',
      'folder of the repository in which checks run and paths begin (default: the folder that --repo names)',
    )
    .option(
      '--branch <name>',
      'branch, tag or commit to begin from, such as HEAD~1 (default: what is checked out)',
    )
    .option('--model <name>', 'model to use (default: what the catalogue and the configuration say)')
    .addOption(new Option('--agentic', 'work in a loop with tools').conflicts('simple'))
    .addOption(new Option('--simple', 'one answer, no tools').conflicts('agentic'))
    .option('--planned', 'plan first, then work step by step')
    .option('--max-iterations <n>', 'answers of the model at most', positiveInteger)
    .option(
      '--attempts <n>',
      'how often it is tried while its checks fail (default 1, or one for each --ladder model)',
      positiveInteger,
    )
    .option('--ladder <models>', 'models for one attempt after the other, such as A,B', modelList)
    .option('--timeout <seconds>', 'wall clock of the whole task', positiveInteger)
    .option('--verify <command>', 'command that must succeed when the work is done (repeatable)', collect)
    .option('--criterion <text>', 'what makes the work complete, in words (repeatable)', collect)
    .option('--read-only', 'the task is to change nothing: it gets no tools that edit files')
    .option(
      '--may-change-checks [globs...]',
      'tests and settings that the task may change; without globs all of them',
    )
    .option('--budget-tokens <n>', 'tokens that the task may use', positiveInteger)
    .option('--file <file>', 'take the task from a JSON file, such as the follow_up of a result; - is stdin');
}

/**
 * The payload of `POST /api/tasks`, from the words of the command line or from a file, with the options above it. A
 * repository on this machine becomes an absolute path. Throws `CommandError`.
 */
export async function readSubmission(
  description: string | undefined,
  options: TaskOptions,
): Promise<Record<string, unknown>> {
  if (description === undefined && options.file === undefined) {
    const globs = Array.isArray(options.mayChangeChecks)
      ? ' Words behind --may-change-checks are read as globs: write the task before it.'
      : '';
    throw usageError(
      'task_missing',
      `Say what is to be done, in quotes, or name a file with --file.${globs}`,
    );
  }
  const base = options.file === undefined ? {} : await readTaskFile(options.file);
  const given = submission(description, options);
  const metadata = { ...(base.metadata as object | undefined), ...(given.metadata as object) };
  const payload: Record<string, unknown> = { ...base, ...given, metadata };
  if (typeof payload.description !== 'string' || payload.description.trim() === '') {
    throw usageError('task_missing', 'The task has no description: say what is to be done.');
  }
  return payload;
}

async function readTaskFile(path: string): Promise<Record<string, unknown>> {
  const name = path === '-' ? 'stdin' : path;
  let content: unknown;
  try {
    content = JSON.parse(withoutByteOrderMark(await readFile(path === '-' ? '/dev/stdin' : path, 'utf8')));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read';
    const message = errorMessage(error);
    throw usageError('task_file_invalid', `The task in ${name} ${why}: ${message}`);
  }
  if (isRecord(content)) return { ...content };
  throw usageError('task_file_invalid', `The task in ${name} must be one JSON object.`);
}

function submission(description: string | undefined, options: TaskOptions): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  if (options.maxIterations !== undefined) metadata.max_iterations = options.maxIterations;
  if (options.timeout !== undefined) metadata.timeout_ms = options.timeout * 1000;
  if (options.attempts !== undefined) metadata.attempts = options.attempts;
  if (options.ladder !== undefined) metadata.models = options.ladder;
  if (options.readOnly) metadata.read_only = true;
  // A hub that does not know the field keeps the metadata.
  if (options.subfolder !== undefined) metadata.subfolder = options.subfolder;
  const agentic = options.agentic ? true : options.simple ? false : undefined;
  return withoutUndefined({
    description,
    repo: options.repo === undefined ? undefined : absoluteRepo(options.repo),
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

function absoluteRepo(repo: string): string {
  // `https://…`, `host:path` and whatever else has a colon before the first slash is for the worker to read.
  const isAddress = /^[^/]+:/u.test(repo) && !existsSync(repo);
  return isAddress || repo.startsWith('~/') ? repo : resolve(repo);
}

/** Refuses a value that says nothing. */
export function notEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('Write a value, or leave the option out.');
  return value;
}

export function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('Write a whole number from 1.');
  return number;
}

export function wholeNumber(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('Write a whole number.');
  return number;
}

/** `A,B`: names of models, in order. */
function modelList(value: string): string[] {
  const names = value.split(',').map((name) => name.trim());
  if (names.includes(''))
    throw new InvalidArgumentError('Write names of models with a comma between them, such as A,B.');
  return names;
}

/** Values of an option that may be given several times. */
export function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), notEmpty(value)];
}

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
}
