/**
 * Writes what a planned patch changes. All new contents are staged beside their targets first,
 * so that what can fail does so while nothing has changed; then come the renames. When one fails all the same, those
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

/** Removals come last: what cannot be read as text could not be brought back. */
const ORDER = { move: 0, write: 1, delete: 2 };

/** Failure says what failed, and whether anything could not be undone. */
export async function commitChanges(
  changes: readonly FileChange[],
  env: ExecutionEnvironment,
): Promise<Committed> {
  const staged: StagedWrite[] = [];
  const steps: Step[] = [];
  for (const change of changes.toSorted((a, b) => ORDER[a.type] - ORDER[b.type])) {
    try {
      steps.push(...(await prepare(change, env, staged)));
    } catch (error) {
      await Promise.allSettled(staged.map((write) => write.discard()));
      return { ok: false, message: `${change.path}: ${errorMessage(error)} (nothing was changed)` };
    }
  }
  return await runAll(steps);
}

/** Stages what can be staged and keeps what an undo needs. */
async function prepare(
  change: FileChange,
  env: ExecutionEnvironment,
  staged: StagedWrite[],
): Promise<Step[]> {
  const { path } = change;
  if (change.type === 'write') {
    const write = await env.stageWrite?.(path, change.text, change.like);
    if (write) staged.push(write);
    const run = (): Promise<unknown> => write?.commit() ?? env.writeFile(path, change.text, change.like);
    return [{ path, run, undo: await undoOfWrite(path, env), staged: write }];
  }
  if (change.type === 'delete') {
    const before = await textOf(path, env);
    return [{ path, run: () => env.deleteFile(path), undo: () => restore(path, before, env) }];
  }
  const { to, text } = change;
  const undoOverwriting = (await env.fileExists(to)) ? await undoOfWrite(to, env) : undefined;
  const move: Step = {
    path,
    run: () => env.rename(path, to),
    undo: async () => {
      await env.rename(to, path);
      await undoOverwriting?.();
    },
  };
  if (text === undefined) return [move];
  // Written where it is before the move, so that the file keeps its mode.
  const undo = await undoOfWrite(path, env);
  return [{ path, run: () => env.writeFile(path, text), undo }, move];
}

async function undoOfWrite(path: string, env: ExecutionEnvironment): Promise<() => Promise<unknown>> {
  if (!(await env.fileExists(path))) return () => env.deleteFile(path);
  const before = await textOf(path, env);
  return () => restore(path, before, env);
}

async function runAll(steps: readonly Step[]): Promise<Committed> {
  for (const [index, step] of steps.entries()) {
    try {
      await step.run();
    } catch (error) {
      // The failed one has no staged content left.
      const open = steps.slice(index + 1).flatMap(({ staged }) => staged ?? []);
      await Promise.allSettled(open.map((write) => write.discard()));
      const left = await undoAll(steps.slice(0, index));
      const state =
        left.length === 0 ? 'nothing was changed' : `these could not be undone: ${left.join(', ')}`;
      return { ok: false, message: `${step.path}: ${errorMessage(error)} (${state})` };
    }
  }
  return { ok: true };
}

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
