/** Reads and writes files of the tree that a task works in, and restores earlier trees. */
import { applyAnswer, type AnswerCandidate, type ChangedFile } from '../../parsing/apply-edits/index.ts';
import type { ExecutionEnvironment } from '../../base/ports.ts';
import { readTextFile } from '../../parsing/editing/text-file.ts';
import { errorMessage } from '../../base/values/errors.ts';
import { createNamedMatcher } from './checking/changeable.ts';
import type { TaskRun } from './task-run.ts';
import { failure, type Outcome, success } from '../../base/values/outcome.ts';

/** Returns the text of a file; undefined if there is no readable file. */
export const readText = ({ env }: Pick<TaskRun, 'env'>, path: string): Promise<string | undefined> =>
  env.readFile(path).then(
    ({ text }) => text,
    () => undefined,
  );

export interface CodeContext {
  /** Paths that the model was shown, most relevant first. */
  shownPaths: readonly string[];
  /** Returns whether a path may be changed. Tests and scripts of the checks may not. */
  mayChange: (path: string) => boolean;
  /** Reads a file from another source than the tree; undefined for a missing file. */
  read?: (path: string) => Promise<string | undefined>;
}

/** Returns the candidates that the code of an answer can mean, in the order in which to try them. Nothing is written. */
export const readCode = (
  run: Pick<TaskRun, 'env' | 'task'>,
  answer: string,
  { shownPaths, mayChange, read = (path) => readText(run, path) }: CodeContext,
): Promise<[AnswerCandidate, ...AnswerCandidate[]]> =>
  applyAnswer(answer, {
    read,
    unreadableReasonOf: async (path) => {
      const file = await readTextFile(run.env, path);
      return file.kind === 'unreadable' ? file.reason : undefined;
    },
    shownPaths,
    isNamed: createNamedMatcher(run.task),
    mayChange,
  });

type FileWriter = Pick<ExecutionEnvironment, 'writeFile' | 'deleteFile'>;

/** Writes a changed file, or removes a deleted one. Rejects if the path may not be written. */
export async function writeChange(env: FileWriter, { path, after, from }: ChangedFile): Promise<void> {
  if (after === undefined) await env.deleteFile(path);
  else await env.writeFile(path, after, from);
}

/** Writes changed files one after another. Stops at the first path that may not be written and returns the failure. */
export async function writeFiles(env: FileWriter, files: readonly ChangedFile[]): Promise<Outcome<true>> {
  for (const file of files) {
    try {
      await writeChange(env, file);
    } catch (error) {
      const message = `${file.path}: ${errorMessage(error)}`;
      return failure('draft_not_written', message);
    }
  }
  return success(true);
}

/** Restores a tree of the task. If that fails, returns false and shows a warning; the present tree stays. */
export async function restoreTree(
  { workspace, emit }: Pick<TaskRun, 'workspace' | 'emit'>,
  tree: string | undefined,
): Promise<boolean> {
  const restored = tree === undefined ? undefined : await workspace.restore(tree);
  if (restored?.ok) return true;
  const why = restored ? restored.failure.message : 'it was not stored';
  emit({ event_type: 'status', text: `Warning: an earlier state of the files was not restored: ${why}` });
  return false;
}
