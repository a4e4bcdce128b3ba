/**
 * Reads a suite of tasks (format in `evals/README.md`). Parses and validates each `task.yaml`, and reports
 * the problems of all tasks together. Runs no task.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { minimatch } from 'minimatch';
import { parse } from 'yaml';
import * as z from 'zod';
import { mayChangeChecksSchema } from '../../base/protocol/task.ts';
import { createCodedError, errorMessage } from '../../base/values/errors.ts';

export const taskKinds = [
  'fix',
  'implement',
  'rename',
  'several-files',
  'configuration',
  'documentation',
  'question',
  'debugging',
  'refactoring',
] as const;
export const taskLanguages = [
  'javascript',
  'typescript',
  'python',
  'go',
  'shell',
  'markdown',
  'json',
  'yaml',
] as const;
const taskTraits = [
  'passes-at-start',
  'no-check',
  'wrong-premise',
  'hostile-comment',
  'crlf',
  'tabs',
  'non-ascii',
  'large-file',
  'large-repository',
] as const;
const TASK_ID = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;
const MAX_TASKS = 2000;
const MAX_YAML_BYTES = 256 * 1024;

const commandSchema = z.string().trim().min(1).max(4096);
const regularExpressionSchema = z
  .string()
  .min(1)
  .max(1000)
  .superRefine((source, context) => {
    try {
      if (new RegExp(source, 'iu').test(''))
        context.addIssue('the pattern matches an empty answer; it must require some text');
    } catch (error) {
      context.addIssue(errorMessage(error));
    }
  });
const answerSchema = z.strictObject({
  matches: z.array(regularExpressionSchema).max(50).default([]),
  excludes: z.array(regularExpressionSchema).max(50).default([]),
});

const taskFileSchema = z
  .strictObject({
    kind: z.enum(taskKinds),
    language: z.enum(taskLanguages),
    tier: z.enum(['small', 'full']),
    traits: z.array(z.enum(taskTraits)).default([]),
    prompt: z.string().trim().min(1).max(20_000),
    check: z.array(commandSchema).max(20).default([]),
    hidden: z.array(commandSchema).max(20).default([]),
    needs: z.array(z.string().regex(/^[\w.+-]+$/u)).default([]),
    packages: z.array(z.string().regex(/^(?:@[\w.-]+\/)?[\w.-]+$/u)).default([]),
    readOnly: z.boolean().default(false),
    mayChangeChecks: mayChangeChecksSchema.default(false),
    answer: answerSchema.prefault({}),
  })
  .superRefine((task, context) => {
    const addProblem = (message: string): void => context.addIssue(message);
    const isQuestion = task.kind === 'question';
    if (isQuestion && task.answer.matches.length === 0) addProblem('a question needs `answer.matches`');
    if (!isQuestion && task.answer.matches.length + task.answer.excludes.length > 0)
      addProblem('`answer` is only for questions');
    if (!isQuestion && task.hidden.length === 0) addProblem('`hidden` must list at least one command');
    if (isQuestion && !task.readOnly) addProblem('a question needs `readOnly: true`');
    if (!isQuestion && task.check.length > 0 && task.traits.includes('no-check'))
      addProblem('the trait no-check is only for tasks without `check`');
  });

/** Validated task of a suite, with its folder. */
export type EvaluationTask = z.output<typeof taskFileSchema> & { id: string; dir: string };

interface SuiteFilter {
  /** Globs of task ids. Globs with a `!` exclude tasks. Empty for all tasks. */
  only?: readonly string[];
  /** Tier of tasks to load; `full` includes the small tasks. */
  tier?: 'small' | 'full';
}

interface EvaluationSuite {
  dir: string;
  tasks: EvaluationTask[];
  /** Problems, one line each, with the id of the task. A task with a problem is not in `tasks`. */
  problems: string[];
}

/** Reads a suite. Rejects with the code `evaluate_suite` if the folder is not a suite. */
export async function loadSuite(suiteDir: string, filter: SuiteFilter = {}): Promise<EvaluationSuite> {
  const dir = resolve(suiteDir);
  const ids = (await listTaskFolders(dir)).filter((id) => isSelected(id, filter.only));
  const suite: EvaluationSuite = { dir, tasks: [], problems: [] };
  for (const id of ids) {
    const task = await readTask(join(dir, id), id);
    if ('problems' in task) suite.problems.push(...task.problems.map((problem) => `${id}: ${problem}`));
    else if (filter.tier !== 'small' || task.tier === 'small') suite.tasks.push(task);
  }
  return suite;
}

/** Creates the error for a suite that cannot be read at all. */
const createSuiteError = (message: string): Error => createCodedError('evaluate_suite', message);

async function listTaskFolders(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: unknown) => {
    throw createSuiteError(`${dir} cannot be read as a suite of tasks: ${errorMessage(error)}`);
  });
  const ids = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  if (ids.length === 0)
    throw createSuiteError(`${dir} contains no task. A task is a folder with a task.yaml.`);
  if (ids.length > MAX_TASKS) throw createSuiteError(`${dir} contains more than ${MAX_TASKS} folders.`);
  return ids.map(({ name }) => name).sort();
}

/** Returns whether an id matches no glob that begins with `!`, and at least one of the other globs if there are any. */
function isSelected(id: string, globs: readonly string[] = []): boolean {
  const isMatch = (glob: string): boolean => minimatch(id, glob, { nonegate: true, nocomment: true });
  const includingGlobs = globs.filter((glob) => !glob.startsWith('!'));
  if (globs.some((glob) => glob.startsWith('!') && isMatch(glob.slice(1)))) return false;
  return includingGlobs.length === 0 || includingGlobs.some(isMatch);
}

async function readTask(dir: string, id: string): Promise<EvaluationTask | { problems: string[] }> {
  if (!TASK_ID.test(id))
    return { problems: ['the folder’s name must consist of lower-case letters, digits and dashes'] };
  const content = await readYaml(join(dir, 'task.yaml'));
  if ('problem' in content) return { problems: [content.problem] };
  const parsed = taskFileSchema.safeParse(content.value);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `task.yaml: ${[...path, message].join(': ')}`);
  if (!existsSync(join(dir, 'repo')) && !existsSync(join(dir, 'generate.mjs')))
    problems.push('the task has neither repo/ nor generate.mjs; add one of the two');
  return problems.length > 0 || !parsed.success ? { problems } : { ...parsed.data, id, dir };
}

async function readYaml(path: string): Promise<{ value: unknown } | { problem: string }> {
  try {
    if ((await stat(path)).size > MAX_YAML_BYTES)
      return { problem: `task.yaml is larger than ${MAX_YAML_BYTES} bytes` };
    return { value: parse(await readFile(path, 'utf8')) };
  } catch (error) {
    return { problem: `task.yaml cannot be read: ${errorMessage(error).split('\n')[0]}` };
  }
}
