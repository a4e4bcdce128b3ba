/**
 * Lists and reads the files of a folder: the files that git tracks, or else the result of a bounded walk. Symbolic links are neither listed
 * nor followed, in any part of a path. Reading is synchronous, which is several times faster for thousands of small files.
 */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { decodeText } from '../../workspace/files/encoding.ts';
import { findFiles } from '../../workspace/files/find-files.ts';
import { isLfsPointer } from '../../base/values/lfs-pointer.ts';
import { runGit } from '../../workspace/git.ts';
import { findGitDir } from '../../workspace/repository-source.ts';
import { MAX_FILE_BYTES, isExcludedFile } from './excluded-files.ts';
import type { TreeFiles } from './types.ts';

const MAX_FILES = 200_000;
const MAX_DEPTH = 40;
const GIT_TIMEOUT_MS = 10_000;

export interface FolderFilesOptions {
  /** Absolute path of the folder. */
  dir: string;
  signal?: AbortSignal;
}

/** Creates the tree of a folder. Its files are listed once and cached. */
export function openFolderFiles({ dir, signal }: FolderFilesOptions): TreeFiles {
  const root = realpathSync(dir);
  const folders = new Map<string, boolean>();
  const encodings = new Map<string, string>();
  let cachedList: Promise<string[]> | undefined;
  let unsearchedPaths: readonly string[] = [];
  const listFiles = async (): Promise<string[]> => {
    const tracked = await listTrackedFiles(root, signal);
    unsearchedPaths = tracked?.unsearched ?? [];
    const paths = tracked?.paths ?? (await walkFolder(root, signal));
    return paths.filter((path) => !isExcludedFile(path)).sort();
  };
  const list = () => (cachedList ??= listFiles());
  const isInside = (path: string): boolean => {
    const folder = dirname(path);
    if (folder === '.') return !path.startsWith('..') && !path.startsWith('/');
    const cachedValue = folders.get(folder);
    if (cachedValue !== undefined) return cachedValue;
    const isReal = isRealFolder(root, folder);
    folders.set(folder, isReal);
    return isReal;
  };
  return {
    list,
    read(path) {
      const { text, encoding = 'UTF-8' } = (isInside(path) && readText(join(root, path))) || {};
      if (encoding !== 'UTF-8') encodings.set(path, encoding);
      return text;
    },
    async search(texts) {
      const found = await searchTrackedFiles(root, texts, signal);
      await list();
      return found && new Set([...found, ...unsearchedPaths]);
    },
    encoding: (path) => encodings.get(path),
  };
}

/** Returns whether no part of the folder's path is a symbolic link. */
function isRealFolder(root: string, folder: string): boolean {
  try {
    return (
      realpathSync(join(root, folder)) === resolve(root, folder) &&
      resolve(root, folder).startsWith(`${root}/`)
    );
  } catch {
    return false;
  }
}

interface TrackedFiles {
  paths: string[];
  /** Files that git treats as unchanged, so that `git grep` reads them from the index or not at all. */
  unsearched: string[];
}

/** Lists tracked files other than links and submodules, and new files that are not ignored. */
async function listTrackedFiles(
  root: string,
  signal: AbortSignal | undefined,
): Promise<TrackedFiles | undefined> {
  // A folder that has no git repository of its own is walked.
  const repository = await findGitDir(join(root, '.git'));
  if (!repository) return undefined;
  const args = ['ls-files', '-z', '-v', '--stage', '--others', '--exclude-standard'];
  const call = { gitDir: repository.gitDir, workTree: root, args, timeoutMs: GIT_TIMEOUT_MS, signal };
  const output = await runGit(call);
  if (!output.ok) return undefined;
  const paths = new Set<string>();
  const unsearched: string[] = [];
  for (const entry of output.value.toString('utf8').split('\0')) {
    if (entry.startsWith('? ')) paths.add(entry.slice(2));
    else if (/^[A-Z] 100/iu.test(entry)) {
      const path = entry.slice(entry.indexOf('\t') + 1);
      paths.add(path);
      // `S`: skip-worktree; a lower-case letter: assume-unchanged.
      if (/^[Sa-z]/u.test(entry)) unsearched.push(path);
    }
  }
  return paths.size === 0 ? undefined : { paths: [...paths].slice(0, MAX_FILES), unsearched };
}

/** Byte order marks of UTF-16, which select files that a search for UTF-8 text does not match. */
const UTF16_MARKS = ['fffe', 'feff'].map((bytes) => Buffer.from(bytes, 'hex'));

/** Searches the files that `listTrackedFiles` lists; undefined if there is no repository, or if the search fails. */
async function searchTrackedFiles(
  root: string,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string> | undefined> {
  const repository = await findGitDir(join(root, '.git'));
  if (!repository) return undefined;
  const patterns = [...texts.map((text) => Buffer.from(text)), ...UTF16_MARKS];
  const output = await runGit({
    gitDir: repository.gitDir,
    workTree: root,
    args: ['grep', '--files-with-matches', '-z', '--untracked', '--fixed-strings', '-f', '-'],
    input: Buffer.concat(patterns.flatMap((pattern) => [pattern, NEWLINE])),
    timeoutMs: GIT_TIMEOUT_MS,
    signal,
  });
  if (output.ok) return new Set(output.value.toString('utf8').split('\0'));
  return output.failure.exitCode === 1 && output.failure.stderr === '' ? new Set() : undefined;
}

const NEWLINE = Buffer.from('\n');

async function walkFolder(root: string, signal: AbortSignal | undefined): Promise<string[]> {
  const foundFiles = await findFiles(root, {
    maxEntries: MAX_FILES,
    maxDepth: MAX_DEPTH,
    onlyFiles: true,
    signal,
    select: (entries) =>
      entries.filter(({ path, dirent }) => !dirent.isDirectory() || !isExcludedFile(`${path}/`)),
  });
  return foundFiles.map(({ path }) => path);
}

function readText(path: string): ReturnType<typeof decodeText> {
  let descriptor: number | undefined;
  try {
    // A named pipe must not block the worker, and a link must not lead out of the folder.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return undefined;
    const bytes = Buffer.allocUnsafe(stats.size);
    const count = readSync(descriptor, bytes, 0, stats.size, 0);
    const decoded = decodeText(bytes.subarray(0, count));
    return decoded && isLfsPointer(decoded.text) ? undefined : decoded;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
