/** A task of the suite with the files that its own solution changes. */
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { structuredPatch } from 'diff';
import type { EvaluationTask } from '../../sidecar/cli/evaluate/suite.ts';
import { createTaskRepository, runGitCommand, copyOverlay } from '../../sidecar/cli/evaluate/trees.ts';

/** One file that the solution changes; `before` is undefined for a new one, `after` for one that goes. */
export interface SolvedFile {
  path: string;
  before?: string;
  after?: string;
}

export interface SolvedTask {
  task: EvaluationTask;
  files: SolvedFile[];
  /** The solution as a unified diff, as git writes it. */
  diff: string;
  /** A fresh tree of the task; the caller removes it. */
  tree(): Promise<string>;
  close(): Promise<void>;
}

/** Lays a task's solution over its repository and reads what that changes. */
export async function solve(task: EvaluationTask): Promise<SolvedTask> {
  const work = await mkdtemp(join(tmpdir(), 'sidecar-oracle-'));
  const base = join(work, 'base');
  await createTaskRepository(task, base);
  const solved = join(work, 'solved');
  await cp(base, solved, { recursive: true, verbatimSymlinks: true });
  await copyOverlay(join(task.dir, 'solution'), solved);
  await runGitCommand(solved, 'add', '--all');
  const listed = await runGitCommand(solved, 'diff', '--cached', '--name-only', '--no-renames', '-z', 'HEAD');
  const files = await Promise.all(
    listed
      .split('\0')
      .filter(Boolean)
      .map(async (path) => ({
        path,
        before: await textAt(join(base, path)),
        after: await textAt(join(solved, path)),
      })),
  );
  const diff = await runGitCommand(solved, 'diff', '--cached', '--no-renames', '--no-color', 'HEAD');
  let made = 0;
  return {
    task,
    files,
    diff,
    tree: async () => {
      made += 1;
      const dir = join(work, `tree-${made}`);
      await cp(base, dir, { recursive: true, verbatimSymlinks: true });
      return dir;
    },
    close: () => rm(work, { recursive: true, force: true, maxRetries: 3 }),
  };
}

const textAt = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

/** A passage of a file and what it becomes, with enough lines around it to stand in one place only. */
export interface Passage {
  search: string;
  replace: string;
}

const CONTEXTS = [2, 4, 8, 16, 40];

/** What changes in a file, as passages that each stand in it once; undefined where there are no such ones. */
export function passagesOf({ before = '', after = '' }: SolvedFile): Passage[] {
  for (const context of CONTEXTS) {
    const { hunks } = structuredPatch('a', 'b', before, after, '', '', { context });
    const passages = hunks.map(({ lines }) => ({
      search: side(lines, '-'),
      replace: side(lines, '+'),
    }));
    if (passages.every(({ search }) => search.trim() !== '' && before.split(search).length === 2))
      return passages;
  }
  return [{ search: before, replace: after }];
}

const side = (lines: readonly string[], sign: '+' | '-'): string =>
  lines
    .filter((line) => line.startsWith(' ') || line.startsWith(sign))
    .map((line) => `${line.slice(1)}\n`)
    .join('');
