/**
 * Files that git would store otherwise than the commit has them, though nobody touched them: they were committed before
 * `.gitattributes` said which line ends they have. They are no work: the base index has them as git would store them, and
 * every tree that is made from it has them as the commit does.
 */
import { readFile, writeFile } from 'node:fs/promises';
import type { Outcome } from '../ports.ts';
import { removeFolder } from '../system/remove-folder.ts';
import { runGit, type GitCall } from './git.ts';
import { success } from '../values/outcome.ts';

const TIMEOUT_MS = 300_000;

interface FreshCheckout {
  gitDir: string;
  dir: string;
  /** A copy of the index that git wrote with the checkout; removed again. */
  indexFile: string;
  /** The commit that was checked out, against which changes are listed. */
  start: string;
  base: string;
  baseIndex: string;
}

/** Called once, while nobody has touched the checkout. */
export async function settleLineEnds(checkout: FreshCheckout): Promise<Outcome<true>> {
  const { gitDir, dir, indexFile, start, base, baseIndex } = checkout;
  const call = { gitDir, workTree: dir, indexFile, timeoutMs: TIMEOUT_MS };
  try {
    // Reading every file takes a while, and without attributes git stores what it checked out. Names stand in an index as they are.
    if (!(await readFile(indexFile)).includes('.gitattributes')) return success(true);
    const stored = await runGit({ ...call, args: ['add', '--renormalize', '--', '.'] });
    if (!stored.ok) return stored;
    const differing = await entriesOf({
      ...call,
      args: ['diff-index', '--cached', '-r', '-z', '--no-renames', start],
    });
    if (!differing.ok) return differing;
    const carried = await entriesOf({
      ...call,
      args: ['diff-tree', '-r', '-z', '--no-renames', base, start],
    });
    if (!carried.ok) return carried;
    const work = new Set(carried.value.map(({ path }) => path));
    const entries = differing.value.filter(({ path }) => !work.has(path));
    if (entries.length === 0) return success(true);
    await writeFile(listOf(baseIndex), infoOf(entries, 'before'), 'latin1');
    return await setEntries({ ...call, indexFile: baseIndex }, infoOf(entries, 'after'));
  } finally {
    await removeFolder(indexFile);
  }
}

const listOf = (baseIndex: string): string => `${baseIndex}.line-ends`;

const keptList = (baseIndex: string): Promise<string> =>
  readFile(listOf(baseIndex), 'latin1').catch(() => '');

/** Gives the paths, in an index that began as the base index, the content that they have in the base. */
export async function withLineEndsOfBase(
  { gitDir, baseIndex }: { gitDir: string; baseIndex: string },
  indexFile: string,
): Promise<Outcome<true>> {
  const list = await keptList(baseIndex);
  return list === '' ? success(true) : setEntries({ gitDir, indexFile }, list);
}

/** The paths, in latin1, so that each byte of a name survives. */
export async function pathsWithOtherLineEnds(baseIndex: string): Promise<ReadonlySet<string>> {
  const lines = (await keptList(baseIndex)).split('\0');
  return new Set(lines.map((line) => line.slice(line.indexOf('\t') + 1)).filter((path) => path !== ''));
}

async function setEntries(call: Omit<GitCall, 'args'>, list: string): Promise<Outcome<true>> {
  const input = Buffer.from(list, 'latin1');
  const set = await runGit({ ...call, args: ['update-index', '-z', '--index-info'], input });
  return set.ok ? success(true) : set;
}

interface Entry {
  path: string;
  /** Mode and id of the content. */
  before: string;
  after: string;
}

const infoOf = (entries: readonly Entry[], side: 'before' | 'after'): string =>
  entries.map((entry) => `${entry[side]}\t${entry.path}\0`).join('');

/** Files that are on both sides of a comparison. git reports what differs and the path in turn. */
async function entriesOf(call: GitCall): Promise<Outcome<Entry[]>> {
  const compared = await runGit(call);
  if (!compared.ok) return compared;
  const fields = compared.value.toString('latin1').split('\0');
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [mode = '', newMode = '', id = '', newId = ''] = (fields[at] ?? '').slice(1).split(' ');
    entries.push({ path: fields[at + 1] ?? '', before: `${mode} ${id}`, after: `${newMode} ${newId}` });
  }
  return success(entries);
}
