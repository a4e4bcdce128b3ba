/**
 * Handles files that git would store differently from the commit although no task changed them, since they were committed before
 * `.gitattributes` set their line endings. They do not count as work. The base index contains such a file in the form in which git would
 * store it now, and every tree that is made from the index contains the file as in the commit.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../base/system/remove-folder.ts';
import { copyIndex, runGit, type GitCall } from './git.ts';
import { type Outcome, success } from '../base/values/outcome.ts';

const TIMEOUT_MS = 300_000;

/** A worktree with its git dir and an index that contains exactly the base tree. */
export interface IndexedFolder {
  gitDir: string;
  dir: string;
  baseIndex: string;
}

interface CheckoutCommits {
  /** The commit that is checked out in the worktree. */
  start: string;
  /** The commit with which the worktree's changes are compared. */
  base: string;
}

/** Prepares the base index, once, before anything modifies the checkout. */
export async function recordLineEndings(
  tree: IndexedFolder,
  { start, base }: CheckoutCommits,
): Promise<Outcome<true>> {
  const { gitDir, dir, baseIndex } = tree;
  const key = `${start} ${base}`;
  if (COMMITS_WITHOUT_LIST.has(key)) return success(true);
  // Without attributes, git stores files as they were checked out. An index contains names as plain text.
  if (!(await readFile(join(gitDir, 'index'))).includes('.gitattributes')) return success(true);
  const entries = await findOtherLineEndings(tree, { start, base });
  if (!entries.ok) return entries;
  if (entries.value.length === 0) {
    if (COMMITS_WITHOUT_LIST.size >= MAX_CACHED_COMMITS) COMMITS_WITHOUT_LIST.clear();
    COMMITS_WITHOUT_LIST.add(key);
    return success(true);
  }
  await writeFile(listFileOf(baseIndex), formatIndexInfo(entries.value, 'before'), 'latin1');
  const call = { gitDir, workTree: dir, indexFile: baseIndex, timeoutMs: TIMEOUT_MS };
  return setEntries(call, formatIndexInfo(entries.value, 'after'));
}

/** Caches commits without such files, since git has to read all files of a checkout to find them. */
const COMMITS_WITHOUT_LIST = new Set<string>();
const MAX_CACHED_COMMITS = 1_000;

async function findOtherLineEndings(
  { gitDir, dir, baseIndex }: IndexedFolder,
  { start, base }: CheckoutCommits,
): Promise<Outcome<EntryChange[]>> {
  const indexFile = `${baseIndex}.fresh`;
  const call = { gitDir, workTree: dir, indexFile, timeoutMs: TIMEOUT_MS };
  try {
    await copyIndex(join(gitDir, 'index'), indexFile);
    const renormalized = await runGit({ ...call, args: ['add', '--renormalize', '--', '.'] });
    if (!renormalized.ok) return renormalized;
    const comparison = ['-r', '-z', '--no-renames'];
    const storedDifferently = await listEntryChanges({
      ...call,
      args: ['diff-index', '--cached', ...comparison, start],
    });
    if (!storedDifferently.ok || start === base) return storedDifferently;
    const earlierWork = await listEntryChanges({ ...call, args: ['diff-tree', ...comparison, base, start] });
    if (!earlierWork.ok) return earlierWork;
    const workPaths = new Set(earlierWork.value.map(({ path }) => path));
    return success(storedDifferently.value.filter(({ path }) => !workPaths.has(path)));
  } finally {
    await removeFolder(indexFile);
  }
}

const listFileOf = (baseIndex: string): string => `${baseIndex}.line-ends`;

const readPathList = (baseIndex: string): Promise<string> =>
  readFile(listFileOf(baseIndex), 'latin1').catch(() => '');

/** Restores the base's content of these paths, in an index that began as the base index. */
export async function restoreLineEndings(
  { gitDir, baseIndex }: { gitDir: string; baseIndex: string },
  indexFile: string,
): Promise<Outcome<true>> {
  const list = await readPathList(baseIndex);
  return list === '' ? success(true) : setEntries({ gitDir, indexFile }, list);
}

/** Returns the paths of files with other line endings, in latin1, so that each byte of a name is preserved. */
export async function listPathsWithOtherLineEndings(baseIndex: string): Promise<ReadonlySet<string>> {
  const lines = (await readPathList(baseIndex)).split('\0');
  return new Set(lines.map((line) => line.slice(line.indexOf('\t') + 1)).filter((path) => path !== ''));
}

async function setEntries(call: Omit<GitCall, 'args'>, list: string): Promise<Outcome<true>> {
  const input = Buffer.from(list, 'latin1');
  const set = await runGit({ ...call, args: ['update-index', '-z', '--index-info'], input });
  return set.ok ? success(true) : set;
}

interface EntryChange {
  path: string;
  /** Mode and object id of the old content. */
  before: string;
  /** Mode and object id of the new content. */
  after: string;
}

const formatIndexInfo = (entries: readonly EntryChange[], side: 'before' | 'after'): string =>
  entries.map((entry) => `${entry[side]}\t${entry.path}\0`).join('');

/** Lists the files that differ in a comparison. git prints each difference and its path alternately. */
async function listEntryChanges(call: GitCall): Promise<Outcome<EntryChange[]>> {
  const compared = await runGit(call);
  if (!compared.ok) return compared;
  const fields = compared.value.toString('latin1').split('\0');
  const entries: EntryChange[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [mode = '', newMode = '', id = '', newId = ''] = (fields[index] ?? '').slice(1).split(' ');
    entries.push({ path: fields[index + 1] ?? '', before: `${mode} ${id}`, after: `${newMode} ${newId}` });
  }
  return success(entries);
}
