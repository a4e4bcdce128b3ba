/** Finds files by a glob pattern, newest first. ripgrep lists them, so the same files are skipped as by grep. */
import { join } from 'node:path';
import { EnvironmentError } from './environment-error.ts';
import { compileModelGlob } from './glob-pattern.ts';
import type { ResolvedPath, WorkspacePaths } from './workspace-paths.ts';
import { runRipgrep } from './ripgrep.ts';

const DEFAULT_MAX_RESULTS = 1000;
const MAX_DEPTH = 40;

/** Finds files; returns paths relative to the workspace. Rejects with `EnvironmentError`. */
export async function globFiles(
  paths: WorkspacePaths,
  pattern: string,
  options: { path?: string; maxResults?: number; signal?: AbortSignal },
): Promise<string[]> {
  const { folder, folderPattern } = await splitPattern(paths, pattern, options.path ?? '.');
  const matches = compileModelGlob(folderPattern);
  if (!folder.stats?.isDirectory()) return [];
  const start = folder.shownPath === '.' ? '' : `${folder.shownPath}/`;
  const maxResults = options.maxResults ?? DEFAULT_MAX_RESULTS;
  const matchedPaths: string[] = [];
  let unreadBytes = Buffer.alloc(0);
  const isInTime = await runRipgrep(paths, folder, {
    args: ['--files', '--sortr=modified', `--max-depth=${maxDepthOf(folderPattern)}`],
    signal: options.signal,
    hasResult: () => true,
    onOutput: (chunk, show, stop) => {
      const bytes = Buffer.concat([unreadBytes, chunk]);
      const end = bytes.lastIndexOf(0) + 1;
      unreadBytes = bytes.subarray(end);
      const names = bytes.toString('utf8', 0, end).split('\0').slice(0, -1).map(show);
      for (const name of names) if (matches(name.slice(start.length))) matchedPaths.push(name);
      if (matchedPaths.length >= maxResults) stop();
    },
  });
  if (!isInTime && matchedPaths.length === 0)
    throw new EnvironmentError(
      'SEARCH_FAILED',
      'The search took too long; search a smaller folder, and remove any named pipe called .gitignore',
    );
  return matchedPaths.slice(0, maxResults);
}

/** Returns the maximum depth below the searched folder at which a path can match. */
const maxDepthOf = (pattern: string): number =>
  /\*\*|\{/.test(pattern) ? MAX_DEPTH : Math.min(pattern.split('/').length, MAX_DEPTH);

/** Splits a pattern into the folder that its literal start names, and the rest. */
async function splitPattern(
  paths: WorkspacePaths,
  pattern: string,
  base: string,
): Promise<{ folder: ResolvedPath; folderPattern: string }> {
  const start = await paths.resolve(base);
  if (!start.stats) throw new EnvironmentError('NOT_FOUND', `${start.shownPath} does not exist`);
  const segments = pattern.split('/').filter((segment) => segment !== '.');
  let fixedCount = segments.findIndex((segment) => /[*?[\]{}\\]/.test(segment));
  if (fixedCount === -1) fixedCount = segments.length - 1;
  const patternSegments = segments.slice(fixedCount);
  if (patternSegments.includes('..')) {
    throw new EnvironmentError('INVALID_PATTERN', 'A glob pattern must not contain .. after a wildcard');
  }
  const prefix = segments.slice(0, fixedCount).join('/');
  const target = pattern.startsWith('/') ? prefix || '/' : join(start.absolute, prefix);
  return { folder: await paths.resolve(target), folderPattern: patternSegments.join('/') };
}
