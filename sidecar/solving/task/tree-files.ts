/** The files of the tree that a task works in: read as text, written as a change says. */
import { applyAnswer, type Candidate, type ChangedFile } from '../../parsing/apply-edits/index.ts';
import type { ExecutionEnvironment, Outcome } from '../../base/ports.ts';
import { readTextFile } from '../../parsing/editing/text-file.ts';
import { errorMessage } from '../../base/values/errors.ts';
import { namedBy } from './checking/changeable.ts';
import type { TaskRun } from './task-run.ts';
import { failure, success } from '../../base/values/outcome.ts';

/** The text of a file; undefined if there is none that can be read. */
export const readText = ({ env }: Pick<TaskRun, 'env'>, path: string): Promise<string | undefined> =>
  env.readFile(path).then(
    ({ text }) => text,
    () => undefined,
  );

export interface CodeContext {
  /** Paths that the model was shown, most relevant first. */
  shown: readonly string[];
  /** Tests and scripts of the checks stay as they are. */
  mayChange: (path: string) => boolean;
  /** Texts in place of the tree's own; undefined for a file that is not there. */
  read?: (path: string) => Promise<string | undefined>;
}

/** The readings of an answer's code as changes of the tree, in the order in which they are to be tried; nothing is written. */
export const readCode = (
  run: Pick<TaskRun, 'env' | 'task'>,
  answer: string,
  { shown, mayChange, read = (path) => readText(run, path) }: CodeContext,
): Promise<[Candidate, ...Candidate[]]> =>
  applyAnswer(answer, {
    read,
    whyUnreadable: async (path) => {
      const file = await readTextFile(run.env, path);
      return file.kind === 'unreadable' ? file.reason : undefined;
    },
    shown,
    isNamed: namedBy(run.task),
    mayChange,
  });

type Writer = Pick<ExecutionEnvironment, 'writeFile' | 'deleteFile'>;

/** Writes a changed file, or removes it if it is to go. Rejects if the path may not be written. */
export async function writeChange(env: Writer, { path, after, from }: ChangedFile): Promise<void> {
  if (after === undefined) await env.deleteFile(path);
  else await env.writeFile(path, after, from);
}

/** Writes changed files one after the other, up to the first path that may not be written, which is data. */
export async function writeFiles(env: Writer, files: readonly ChangedFile[]): Promise<Outcome<true>> {
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
