/** The standard tools, called as a model's calls are; cases in folders; a folder's text files. */
import { cp, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect } from '@jest/globals';
import type { ExecutionEnvironment } from '../../sidecar/base/ports.ts';
import { dispatchToolCalls, type DispatchOptions } from '../../sidecar/tools/dispatch.ts';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import type { ToolCallResult } from '../../sidecar/tools/types.ts';

const registry = createToolRegistry();

export async function callTool(
  env: ExecutionEnvironment,
  toolName: string,
  args: object,
  options?: DispatchOptions,
): Promise<ToolCallResult> {
  const [result] = await dispatchToolCalls([{ toolCallId: '1', toolName, args }], registry, env, options);
  return result!;
}

/**
 * Runs a case: `input/` is copied to `folder` before `run`, the result holds the lines of `result.txt`, and the folder is
 * as `expected/` afterwards; without one the call must refuse and change nothing.
 */
export async function checkCase(
  from: string,
  folder: string,
  run: () => Promise<ToolCallResult>,
): Promise<void> {
  const parts = await readdir(from);
  if (parts.includes('input')) await cp(join(from, 'input'), folder, { recursive: true });
  const before = await filesUnder(folder);
  const { output, isError } = await run();
  const lines = (await readFile(join(from, 'result.txt'), 'utf8')).split('\n').filter(Boolean);
  for (const text of lines) expect(output).toContain(text);
  const mustApply = parts.includes('expected');
  if (isError === mustApply) throw new Error(output);
  expect(await filesUnder(folder)).toEqual(mustApply ? await filesUnder(join(from, 'expected')) : before);
}

/** Returns the text files below a folder by relative path. */
export async function filesUnder(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = await Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), await readFile(path, 'utf8')] as const;
    }),
  );
  return Object.fromEntries(contents.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
