/**
 * Writes the changes of a planned patch. All new contents are staged next to their targets first, so that most failures
 * occur before any change; renames follow, then deletions. If one fails, those before it are undone. A kill midway
 * leaves each file old or new, never partial.
 */
import { errorMessage } from '../../values/errors.ts';
import type { ExecutionEnvironment, StagedWrite } from '../../ports.ts';
import type { FileChange } from './patch-plan.ts';

export type CommitOutcome = { ok: true } | { ok: false; message: string };

/** A step that can be undone. */
interface Step {
  path: string;
  run: () => Promise<unknown>;
  undo: () => Promise<unknown>;
  /** The staged write that `run` commits. */
  staged?: StagedWrite;
}

/** Applies all changes; a failure names the failed one and any that could not be undone. */
export async function commitChanges(
  changes: readonly FileChange[],
  env: ExecutionEnvironment,
): Promise<CommitOutcome> {
  const steps: Step[] = [];
  const isRemoval = ({ type }: FileChange): number => Number(type === 'delete');
  for (const change of changes.toSorted((a, b) => isRemoval(a) - isRemoval(b))) {
    try {
      steps.push(await prepare(change, env));
    } catch (error) {
      await discard(steps);
      return { ok: false, message: `${change.path}: ${errorMessage(error)} (nothing was changed)` };
    }
  }
  return await runAll(steps);
}

/** Stages the new content and reads what an undo needs. */
async function prepare(change: FileChange, env: ExecutionEnvironment): Promise<Step> {
  const { path } = change;
  const isThere = change.type === 'delete' || (await env.fileExists(path));
  const before = isThere ? await textOf(path, env) : undefined;
  const undo = isThere ? () => restore(path, before, env) : () => env.deleteFile(path);
  if (change.type === 'delete') return { path, run: () => env.deleteFile(path), undo };
  const { text, like } = change;
  const staged = await env.stageWrite?.(path, text, like);
  return { path, run: () => staged?.commit() ?? env.writeFile(path, text, like), undo, staged };
}

async function runAll(steps: readonly Step[]): Promise<CommitOutcome> {
  for (const [index, step] of steps.entries()) {
    try {
      await step.run();
    } catch (error) {
      // The failed step has no staged content left.
      await discard(steps.slice(index + 1));
      const left = await undoAll(steps.slice(0, index));
      const state =
        left.length === 0 ? 'nothing was changed' : `these could not be undone: ${left.join(', ')}`;
      return { ok: false, message: `${step.path}: ${errorMessage(error)} (${state})` };
    }
  }
  return { ok: true };
}

const discard = (steps: readonly Step[]): Promise<unknown> =>
  Promise.allSettled(steps.flatMap(({ staged }) => staged?.discard() ?? []));

/** Returns the text, or undefined if it could not be written back unchanged. */
async function textOf(path: string, env: ExecutionEnvironment): Promise<string | undefined> {
  try {
    const { text, encoding } = await env.readFile(path);
    return encoding === undefined ? text : undefined;
  } catch {
    // A binary file may still be replaced or deleted; only an undo would miss its content, and reports that.
    return undefined;
  }
}

async function restore(path: string, before: string | undefined, env: ExecutionEnvironment): Promise<void> {
  if (before === undefined) throw new Error('its content was no text');
  await env.writeFile(path, before);
}

/** Undoes the latest step first; returns the paths that remain changed. */
async function undoAll(done: readonly Step[]): Promise<string[]> {
  const left: string[] = [];
  for (const { path, undo } of done.toReversed()) {
    try {
      await undo();
    } catch (error) {
      left.push(`${path} (${errorMessage(error)})`);
    }
  }
  return left;
}
