/**
 * Writes what a planned patch changes. All new contents are staged beside their targets first,
 * so that what can fail does so while nothing has changed; then come the renames, then the removals. When one fails all the same, those
 * before it are undone. Killed half-way it leaves each file old or new, never a part of one.
 */
import { errorMessage } from '../../values/errors.ts';
import type { ExecutionEnvironment, StagedWrite } from '../../ports.ts';
import type { FileChange } from './patch-plan.ts';

export type Committed = { ok: true } | { ok: false; message: string };

/** Something to do that can be undone. */
interface Step {
  path: string;
  run: () => Promise<unknown>;
  undo: () => Promise<unknown>;
  /** The change that `run` commits. */
  staged?: StagedWrite;
}

/** Failure says what failed, and whether anything could not be undone. */
export async function commitChanges(
  changes: readonly FileChange[],
  env: ExecutionEnvironment,
): Promise<Committed> {
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

/** Stages what can be staged and keeps what an undo needs. */
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

async function runAll(steps: readonly Step[]): Promise<Committed> {
  for (const [index, step] of steps.entries()) {
    try {
      await step.run();
    } catch (error) {
      // The failed one has no staged content left.
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

/** Undefined for what is no text that could be written again where there is no file. */
async function textOf(path: string, env: ExecutionEnvironment): Promise<string | undefined> {
  try {
    const { text, encoding } = await env.readFile(path);
    return encoding === undefined ? text : undefined;
  } catch {
    // A binary file may be replaced or removed all the same; only an undo would miss its content, and says so.
    return undefined;
  }
}

async function restore(path: string, before: string | undefined, env: ExecutionEnvironment): Promise<void> {
  if (before === undefined) throw new Error('its content was no text');
  await env.writeFile(path, before);
}

/** Latest first; answers the paths that stay changed. */
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
