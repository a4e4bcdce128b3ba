/**
 * Finds files by a glob pattern, newest first, without following links. `.git`, `node_modules` and what `.gitignore`
 * names are left out, as in grep.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentError } from './environment-error.ts';
import { readSmall } from '../system/small-file.ts';
import { compileGlob } from './glob-pattern.ts';
import { IgnoreRules } from './ignore-rules.ts';
import type { OpenFolder, ResolvedPath, WorkspacePaths } from './paths.ts';

const DEFAULT_MAX_RESULTS = 1000;
/** Files looked at; the search ends there. */
const MAX_VISITED = 200_000;
const MAX_IGNORE_FILE_BYTES = 1024 * 1024;
const NEVER_ENTERED = new Set(['.git', 'node_modules']);
const STATS_AT_ONCE = 64;

/** Paths relative to the workspace. Rejects with `EnvironmentError`. */
export async function globFiles(
  paths: WorkspacePaths,
  pattern: string,
  options: { path?: string; maxResults?: number },
): Promise<string[]> {
  const { folder, rest } = await splitPattern(paths, pattern, options.path ?? '.');
  const matches = compileGlob(rest);
  if (!folder.stats?.isDirectory()) return [];
  const opened = await paths.openFolder(folder.absolute, folder.shown);
  try {
    const rules = await rulesAbove(paths.root, folder.shown);
    const found: string[] = [];
    let visited = 0;
    for await (const path of walkFiles(opened, folder.shown, rules)) {
      if (matches(path)) found.push(path);
      if ((visited += 1) >= MAX_VISITED) break;
    }
    const newest = (await newestFirst(opened, found)).slice(0, options.maxResults ?? DEFAULT_MAX_RESULTS);
    return newest.map((path) => (folder.shown === '.' ? path : `${folder.shown}/${path}`));
  } finally {
    await opened.close();
  }
}

/** The folder that the fixed start of a pattern names, and the rest of the pattern. */
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

/** The rules of the folders above the searched one; its own and those below are read on the way. */
async function rulesAbove(root: string, shown: string): Promise<IgnoreRules> {
  const rules = new IgnoreRules();
  const segments = shown === '.' ? [] : shown.split('/');
  for (let depth = 0; depth < segments.length; depth += 1) {
    const folder = segments.slice(0, depth).join('/');
    rules.add(folder, await readIgnoreFile(join(root, folder, '.gitignore')));
  }
  return rules;
}

/** The files below a folder, by their paths in it. Folders that cannot be read are taken for empty. */
async function* walkFiles(
  opened: OpenFolder,
  shown: string,
  rules: IgnoreRules,
): AsyncGenerator<string, void, void> {
  const inWorkspace = (path: string) => (shown === '.' ? path : join(shown, path));
  const open = [''];
  for (let folder = open.shift(); folder !== undefined; folder = open.shift()) {
    const host = opened.entry(folder);
    const entries = await readdir(host, { withFileTypes: true }).catch(() => []);
    if (entries.some(({ name }) => name === '.gitignore'))
      rules.add(inWorkspace(folder), await readIgnoreFile(join(host, '.gitignore')));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if (NEVER_ENTERED.has(entry.name) || rules.ignoresItself(inWorkspace(path), isFolder)) continue;
      if (isFolder) open.push(path);
      else if (entry.isFile()) yield path;
    }
  }
}

async function newestFirst(opened: OpenFolder, found: string[]): Promise<string[]> {
  const dated: { path: string; modifiedMs: number }[] = [];
  for (let at = 0; at < found.length; at += STATS_AT_ONCE) {
    const part = found.slice(at, at + STATS_AT_ONCE).map(async (path) => {
      const stats = await lstat(opened.entry(path)).catch(() => undefined);
      return { path, modifiedMs: stats?.mtimeMs ?? 0 };
    });
    dated.push(...(await Promise.all(part)));
  }
  dated.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? -1 : 1));
  return dated.map(({ path }) => path);
}

const readIgnoreFile = async (path: string): Promise<string> =>
  (await readSmall(path, MAX_IGNORE_FILE_BYTES)) ?? '';
