/** Finds files by a glob pattern, newest first. `.git`, `node_modules` and ignored files (`.gitignore`) are skipped, as in grep. */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readSmallFile } from '../../base/system/small-file.ts';
import { EnvironmentError } from './environment-error.ts';
import { findFiles, NOT_ENTERED, type FoundEntry } from './find-files.ts';
import { compileModelGlob } from './glob-pattern.ts';
import { IgnoreRules } from './ignore-rules.ts';
import type { OpenFolder, ResolvedPath, WorkspacePaths } from './paths.ts';

const DEFAULT_MAX_RESULTS = 1000;
const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 40;
const MAX_IGNORE_FILE_BYTES = 1024 * 1024;
const STATS_AT_ONCE = 64;

/** Finds files; returns paths relative to the workspace. Rejects with `EnvironmentError`. */
export async function globFiles(
  paths: WorkspacePaths,
  pattern: string,
  options: { path?: string; maxResults?: number; signal?: AbortSignal },
): Promise<string[]> {
  const { folder, rest } = await splitPattern(paths, pattern, options.path ?? '.');
  const matches = compileModelGlob(rest);
  if (!folder.stats?.isDirectory()) return [];
  const opened = await paths.openFolder(folder.absolute, folder.shown);
  try {
    const top = opened.entry('');
    const shown = (path: string) => (folder.shown === '.' ? path : join(folder.shown, path));
    const relativeToRoot = paths.relativeToRoot(folder.absolute);
    const inWorkspace = (path: string) => (relativeToRoot === '.' ? path : join(relativeToRoot, path));
    const rules = await rulesAbove(paths.root, relativeToRoot);
    const found = await findFiles(top, {
      maxEntries: MAX_ENTRIES,
      maxDepth: depthOf(rest),
      signal: options.signal,
      onlyFiles: true,
      matches,
      onFolder: async (below) =>
        rules.add(inWorkspace(below), await readIgnoreFile(join(top, below, '.gitignore'))),
      select: (entries) =>
        entries.filter(
          ({ path, dirent }) =>
            !NOT_ENTERED.includes(dirent.name) && !rules.ignores(inWorkspace(path), dirent.isDirectory()),
        ),
    });
    if (options.signal?.aborted) throw new EnvironmentError('ABORTED', 'The search was aborted');
    const newest = await newestFirst(opened, found);
    return newest.slice(0, options.maxResults ?? DEFAULT_MAX_RESULTS).map(shown);
  } finally {
    await opened.close();
  }
}

/** Returns the maximum depth of a match. */
const depthOf = (pattern: string): number =>
  /\*\*|\{/.test(pattern) ? MAX_DEPTH : Math.min(pattern.split('/').length, MAX_DEPTH);

/** Splits a pattern into the folder that its fixed start names, and the rest. */
async function splitPattern(
  paths: WorkspacePaths,
  pattern: string,
  base: string,
): Promise<{ folder: ResolvedPath; rest: string }> {
  const start = await paths.resolve(base);
  if (!start.stats) throw new EnvironmentError('NOT_FOUND', `${start.shown} does not exist`);
  const segments = pattern.split('/').filter((segment) => segment !== '.');
  let fixed = segments.findIndex((segment) => /[*?[\]{}\\]/.test(segment));
  if (fixed === -1) fixed = segments.length - 1;
  const rest = segments.slice(fixed);
  if (rest.includes('..')) {
    throw new EnvironmentError('INVALID_PATTERN', 'A glob pattern may not go up with .. after a wildcard');
  }
  const prefix = segments.slice(0, fixed).join('/');
  const target = pattern.startsWith('/') ? prefix || '/' : join(start.absolute, prefix);
  return { folder: await paths.resolve(target), rest: rest.join('/') };
}

/** Reads the rules of the folders above the searched one; the search reads the others. */
async function rulesAbove(root: string, shown: string): Promise<IgnoreRules> {
  const rules = new IgnoreRules();
  const segments = shown === '.' ? [] : shown.split('/');
  for (let depth = 0; depth < segments.length; depth += 1) {
    const folder = segments.slice(0, depth).join('/');
    rules.add(folder, await readIgnoreFile(join(root, folder, '.gitignore')));
  }
  return rules;
}

/** Sorts files by time. The stat calls are synchronous, a few files at a time: a promise for each takes several times as long. */
async function newestFirst(opened: OpenFolder, found: readonly FoundEntry[]): Promise<string[]> {
  const dated: { path: string; modifiedMs: number }[] = [];
  for (const { path } of found) {
    dated.push({ path, modifiedMs: modifiedMs(opened.entry(path)) });
    if (dated.length % STATS_AT_ONCE === 0) await nextTurn();
  }
  dated.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? -1 : 1));
  return dated.map(({ path }) => path);
}

function modifiedMs(path: string): number {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    // The file is gone.
    return 0;
  }
}

/** Reads a `.gitignore`. Most folders have none, and a check is cheaper than an attempt to open it. */
const readIgnoreFile = async (path: string): Promise<string> =>
  (existsSync(path) && (await readSmallFile(path, MAX_IGNORE_FILE_BYTES))) || '';
