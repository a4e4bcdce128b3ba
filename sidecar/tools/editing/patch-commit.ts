/**
 * Writes what a planned patch changes (tools.md, apply_patch): every single write is atomic by the environment, and when
 * one fails those before it are undone, so that a patch is applied whole or not at all. Killed half-way it leaves each
 * file old or new, never a part of one.
 */
import type { ExecutionEnvironment } from '../../ports.ts';
import type { FileChange } from './patch-plan.ts';

export type Committed = { ok: true } | { ok: false; message: string };

type Undo = { path: string; run: () => Promise<unknown> };

/** Removals come last: what cannot be read as text could not be brought back. */
const ORDER = { move: 0, write: 1, delete: 2 };

/** Failure says what failed, and whether anything could not be undone. */
export async function commitChanges(
  changes: readonly FileChange[],
  env: ExecutionEnvironment,
): Promise<Committed> {
  const undos: Undo[] = [];
  for (const change of changes.toSorted((a, b) => ORDER[a.type] - ORDER[b.type])) {
    try {
      await commitOne(change, env, undos);
    } catch (error) {
      const left = await undoAll(undos);
      const state =
        left.length === 0 ? 'nothing was changed' : `these could not be undone: ${left.join(', ')}`;
      return { ok: false, message: `${change.path}: ${messageOf(error)} (${state})` };
    }
  }
  return { ok: true };
}

async function commitOne(change: FileChange, env: ExecutionEnvironment, undos: Undo[]): Promise<void> {
  const { path } = change;
  if (change.type === 'write') {
    await writeUndoably(path, change.text, env, undos);
    return;
  }
  if (change.type === 'move') {
    await moveUndoably(path, change.to, env, undos);
    if (change.text !== undefined) await writeUndoably(change.to, change.text, env, undos);
    return;
  }
  const before = await textOf(path, env);
  await env.deleteFile(path);
  undos.push({ path, run: () => restore(path, before, env) });
}

async function writeUndoably(
  path: string,
  text: string,
  env: ExecutionEnvironment,
  undos: Undo[],
): Promise<void> {
  const existed = await env.fileExists(path);
  const before = existed ? await textOf(path, env) : undefined;
  await env.writeFile(path, text);
  undos.push({ path, run: () => (existed ? restore(path, before, env) : env.deleteFile(path)) });
}

async function moveUndoably(
  from: string,
  to: string,
  env: ExecutionEnvironment,
  undos: Undo[],
): Promise<void> {
  const existed = await env.fileExists(to);
  const overwritten = existed ? await textOf(to, env) : undefined;
  await env.rename(from, to);
  undos.push({
    path: to,
    run: async () => {
      await env.rename(to, from);
      if (existed) await restore(to, overwritten, env);
    },
  });
}

/** Undefined for what is no text. */
async function textOf(path: string, env: ExecutionEnvironment): Promise<string | undefined> {
  try {
    return (await env.readFile(path)).text;
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
async function undoAll(undos: readonly Undo[]): Promise<string[]> {
  const left: string[] = [];
  for (const { path, run } of undos.toReversed()) {
    try {
      await run();
    } catch (error) {
      left.push(`${path} (${messageOf(error)})`);
    }
  }
  return left;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
