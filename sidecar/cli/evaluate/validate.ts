/**
 * Validates the tasks of a suite: the visible check begins with the outcome that the traits state, the
 * solution passes the visible and the hidden checks, and the hidden checks fail for every wrong solution and
 * for the base.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { errorMessage } from '../../base/values/errors.ts';
import {
  haveAllPassed,
  matchesAnswer,
  runCommands,
  runHiddenCommands,
  type CommandOutcome,
  type CheckOptions,
} from './judge.ts';
import { findMissingRequirement } from './requirements.ts';
import type { EvaluationTask } from './suite.ts';
import { createTaskRepository, runGitCommand, isChanged, copyOverlay } from './trees.ts';

const MIN_WRONG_SOLUTIONS = 2;
/** Maximum length of the output shown for a failed command. */
const MAX_SHOWN_CHARS = 1200;
/** Name of the file with the answer to a question, in the folder of a right or a wrong solution. */
const ANSWER_FILE = 'answer.txt';

export interface TaskValidation {
  id: string;
  /** Reason for skipping the task: a program or package is not installed. */
  skipped?: string;
  problems: string[];
  durationMs: number;
}

/**
 * Validates tasks, two at a time, and calls `onDone` for each. Rejects only if a required sandbox does not
 * work.
 */
export async function validateTasks(
  tasks: readonly EvaluationTask[],
  options: CheckOptions & { onDone?: (validation: TaskValidation) => void },
): Promise<TaskValidation[]> {
  const queue = new PQueue({ concurrency: 2 });
  return Promise.all(
    tasks.map((task) =>
      queue.add(async () => {
        const validation = await validateTask(task, options);
        options.onDone?.(validation);
        return validation;
      }),
    ),
  );
}

async function validateTask(task: EvaluationTask, options: CheckOptions): Promise<TaskValidation> {
  const startMs = performance.now();
  const createValidation = (findings: Pick<TaskValidation, 'problems' | 'skipped'>): TaskValidation => ({
    id: task.id,
    ...findings,
    durationMs: Math.round(performance.now() - startMs),
  });
  const skipped = findMissingRequirement(task);
  if (skipped !== undefined) return createValidation({ skipped, problems: [] });
  const work = await mkdtemp(join(tmpdir(), 'sidecar-validate-'));
  try {
    const trees = { task, createTree: createTreeFactory(task, work), options };
    return createValidation({
      problems: [
        ...(await findBaseProblems(trees)),
        ...(await findSolutionProblems(trees)),
        ...(await findWrongSolutionProblems(trees)),
      ],
    });
  } catch (error) {
    return createValidation({ problems: [errorMessage(error)] });
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Creates a fresh tree of the task, with the files of the folder `overlay` if it is given. */
type TreeFactory = (overlay?: string) => Promise<string>;

interface TaskTrees {
  task: EvaluationTask;
  createTree: TreeFactory;
  options: CheckOptions;
}

function createTreeFactory(task: EvaluationTask, work: string): TreeFactory {
  let treeCount = 0;
  return async (overlay) => {
    treeCount += 1;
    const dir = join(work, String(treeCount));
    await createTaskRepository(task, dir);
    if (overlay !== undefined) {
      await copyOverlay(overlay, dir);
      if (task.kind === 'question') await rm(join(dir, ANSWER_FILE), { force: true });
    }
    return dir;
  };
}

async function findBaseProblems({ task, createTree, options }: TaskTrees): Promise<string[]> {
  const dir = await createTree();
  const problems = await findCheckProblems(task, dir, options);
  if (await isChanged(dir)) {
    const changedPaths = (await runGitCommand(dir, 'status', '--porcelain')).trim().replaceAll('\n', ', ');
    problems.push(`the check creates files; add them to .gitignore: ${changedPaths}`);
  }
  if (task.kind === 'question' || task.traits.includes('wrong-premise')) return problems;
  if (haveAllPassed(await runHiddenCommands(task, dir, options)))
    problems.push('the hidden checks pass on the base, but must fail until the task is solved');
  return problems;
}

async function findCheckProblems(
  task: EvaluationTask,
  dir: string,
  options: CheckOptions,
): Promise<string[]> {
  const { check, traits, kind } = task;
  if (check.length === 0) {
    const isDeclared = traits.includes('no-check') || kind === 'question';
    return isDeclared ? [] : ['`check` is missing: add it, or the trait no-check'];
  }
  const outcomes = await runCommands(check, dir, options);
  const passes = haveAllPassed(outcomes);
  if (passes && !traits.includes('passes-at-start'))
    return ['the check passes at the start: add the trait passes-at-start, or make it fail'];
  if (!passes && traits.includes('passes-at-start'))
    return [`the check fails at the start despite the trait passes-at-start\n${formatFailures(outcomes)}`];
  return [];
}

async function findSolutionProblems({ task, createTree, options }: TaskTrees): Promise<string[]> {
  const overlay = join(task.dir, 'solution');
  if (!existsSync(overlay)) return ['solution/ is missing'];
  const dir = await createTree(overlay);
  const problems: string[] = [];
  if (task.kind === 'question') problems.push(...(await findAnswerProblems(task, overlay, dir)));
  const visible = await runCommands(task.check, dir, options);
  if (!haveAllPassed(visible)) problems.push(`solution/ does not pass the check\n${formatFailures(visible)}`);
  const hidden = await runHiddenCommands(task, dir, options);
  if (!haveAllPassed(hidden))
    problems.push(`solution/ does not pass the hidden commands\n${formatFailures(hidden)}`);
  return problems;
}

async function findAnswerProblems(task: EvaluationTask, overlay: string, dir: string): Promise<string[]> {
  const answer = await readAnswer(overlay);
  if (answer === undefined)
    return [
      `solution/${ANSWER_FILE} is missing: add this file with a correct answer, as a model would write it`,
    ];
  const problems: string[] = [];
  if (!matchesAnswer(task, answer))
    problems.push(`solution/${ANSWER_FILE} does not match the answer patterns`);
  if (await isChanged(dir)) problems.push('a question must not change files, but its solution/ does');
  return problems;
}

async function findWrongSolutionProblems({ task, createTree, options }: TaskTrees): Promise<string[]> {
  const root = join(task.dir, 'wrong');
  const names = existsSync(root) ? (await readdir(root)).filter((name) => !name.startsWith('.')).sort() : [];
  const problems: string[] = [];
  if (names.length < MIN_WRONG_SOLUTIONS)
    problems.push(`wrong/ contains ${names.length} solutions; at least ${MIN_WRONG_SOLUTIONS} are required`);
  for (const name of names) {
    const dir = await createTree(join(root, name));
    if (await isRefused(task, join(root, name), dir, options)) continue;
    problems.push(`wrong/${name} passes the hidden checks`);
  }
  return problems;
}

async function isRefused(
  task: EvaluationTask,
  overlay: string,
  dir: string,
  options: CheckOptions,
): Promise<boolean> {
  if (task.kind !== 'question') return !haveAllPassed(await runHiddenCommands(task, dir, options));
  if (await isChanged(dir)) return true;
  return !matchesAnswer(task, (await readAnswer(overlay)) ?? '');
}

const readAnswer = (overlay: string): Promise<string | undefined> =>
  readFile(join(overlay, ANSWER_FILE), 'utf8').catch(() => undefined);

const formatFailures = (outcomes: readonly CommandOutcome[]): string =>
  outcomes
    .filter(({ passed }) => !passed)
    .map(({ command, output }) => `      $ ${command}\n${indent(output)}`)
    .join('\n');

const indent = (output: string): string =>
  output
    .trim()
    .slice(-MAX_SHOWN_CHARS)
    .split('\n')
    .map((line) => `        ${line}`)
    .join('\n');
