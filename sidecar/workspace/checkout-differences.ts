/**
 * Finds differences between a task's worktree and the user's own checkout: empty folders of submodules, pointers in place of Git LFS files,
 * and UTF-8 text although attributes require another encoding. Filters and encodings are off in worktrees, and other repositories are
 * fetched only if a task names them. Users and models get notes on the differences.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLfsPointer } from '../base/values/lfs-pointer.ts';
import { listNames } from '../base/values/shortening.ts';
import type { Logger } from '../base/ports.ts';
import { joinNul, runGit, splitNul } from './git.ts';
import { readSmallFile } from '../base/system/small-file.ts';
import { isLinkFree } from './link-free-path.ts';
import type { RegisteredTree } from './registered-tree.ts';
import { type ChangedPath } from './work-tree.ts';

/** Mode of a submodule in git's file lists. */
const SUBMODULE_MODE = '160000 ';
/** Mode of a submodule in the binary format of an index. */
const SUBMODULE_BYTES = Buffer.from([0, 0, 0xe0, 0]);
const MAX_LISTED_PATHS = 20;
const MAX_LISTED_BYTES = 128 * 1024 * 1024;
const MAX_ENCODED_BYTES = 10 * 1024 * 1024;

export interface CheckoutDifferences {
  /** Paths of submodules, at most 20. */
  submodules: string[];
  /** Whether attributes of the repository require another form of some files in a commit than in a checkout. */
  hasConvertedFiles: boolean;
  /** Descriptions of the differences for users and models, one sentence each. */
  notes: string[];
}

/** Finds the differences between a worktree and the user's own checkout. Never rejects: logs a failure of git. */
export async function findCheckoutDifferences(
  tree: RegisteredTree,
  { signal, logger }: { signal?: AbortSignal; logger?: Logger },
): Promise<CheckoutDifferences> {
  // An index contains names and modes as plain bytes. Searching for these is faster than listing all files of a large repository.
  const index = await readFile(join(tree.gitDir, 'index')).catch(() => undefined);
  if (index !== undefined && !index.includes('.gitattributes') && !index.includes(SUBMODULE_BYTES))
    return { submodules: [], hasConvertedFiles: false, notes: [] };
  const args = ['ls-files', '--stage', '-z'];
  const call = { gitDir: tree.gitDir, workTree: tree.dir, args, maxOutputBytes: MAX_LISTED_BYTES, signal };
  const listed = await runGit(call);
  if (!listed.ok)
    logger?.warn({ code: listed.failure.code }, `Files could not be listed: ${listed.failure.message}`);
  const entries = listed.ok ? splitNul(listed.value) : [];
  const paths = entries.map((entry) => entry.subarray(entry.indexOf('\t') + 1));
  const submodules = entries.flatMap((entry, index) =>
    entry.toString('latin1', 0, SUBMODULE_MODE.length) === SUBMODULE_MODE ? [String(paths[index])] : [],
  );
  const hasConvertedFiles = await mentionsConversion(
    tree.dir,
    paths.filter((path) => /(?:^|\/)\.gitattributes$/.test(path.toString('latin1'))),
  );
  const { lfs, encoded } = hasConvertedFiles
    ? await findConvertedFiles(tree, paths)
    : { lfs: [], encoded: [] };
  const kinds: [string, readonly string[]][] = [
    ['submodules are not fetched: these folders are empty, write nothing into them', submodules],
    ['files in Git LFS are pointers here, without their content, and cannot be written', lfs],
    ['files with a working-tree-encoding are UTF-8 here, as git stores them, and must stay UTF-8', encoded],
  ];
  const notes = kinds.flatMap(([what, those]) =>
    those.length === 0 ? [] : [`${what}: ${listNames(those, MAX_LISTED_PATHS)}`],
  );
  return { submodules: submodules.slice(0, MAX_LISTED_PATHS), hasConvertedFiles, notes };
}

async function mentionsConversion(dir: string, paths: readonly Buffer[]): Promise<boolean> {
  const texts = await Promise.all(paths.map((path) => readSmallFile(join(dir, String(path)))));
  return texts.some((text) => /filter=lfs|working-tree-encoding=/.test(text ?? ''));
}

/**
 * Finds files that attributes require in another form in a commit. Uses a separate git dir, since these attributes are off in that of the
 * worktree. Reading attributes starts no program.
 */
async function findConvertedFiles(
  { gitDir: parent, dir }: RegisteredTree,
  paths: readonly Buffer[],
): Promise<{ lfs: string[]; encoded: string[] }> {
  const gitDir = join(parent, 'attributes');
  for (const name of ['objects', 'refs']) await mkdir(join(gitDir, name), { recursive: true });
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  const args = ['check-attr', '-z', '--stdin', 'filter', 'working-tree-encoding'];
  const input = joinNul(paths);
  const attributes = await runGit({ gitDir, workTree: dir, args, input, maxOutputBytes: MAX_LISTED_BYTES });
  const fields = attributes.ok ? splitNul(attributes.value).map(String) : [];
  const selectPaths = (attribute: string, has: (value: string) => boolean): string[] =>
    fields.filter(
      (_, index) => index % 3 === 0 && fields[index + 1] === attribute && has(fields[index + 2] ?? ''),
    );
  return {
    lfs: selectPaths('filter', (value) => value === 'lfs'),
    encoded: selectPaths(
      'working-tree-encoding',
      (value) => !/^(?:un)?s(?:et|pecified)$|^utf-?8$/i.test(value),
    ),
  };
}

/** Returns, by path, the reason why a changed file cannot be stored: the content would differ from what the attributes require. */
export async function findMisfits(
  tree: RegisteredTree,
  changes: readonly ChangedPath[],
): Promise<ReadonlyMap<string, string>> {
  const paths = changes.filter(({ stats }) => stats?.isFile()).map(({ path }) => path);
  const { lfs, encoded } = await findConvertedFiles(tree, paths);
  const misfits = new Map<string, string>();
  for (const path of lfs) {
    if (!isLfsPointer((await readSmallFile(join(tree.dir, path))) ?? ''))
      misfits.set(path, 'in Git LFS: only a pointer can be committed, not the content');
  }
  for (const path of encoded) {
    if (/[\0\uFFFD]/.test((await readSmallFile(join(tree.dir, path), MAX_ENCODED_BYTES)) ?? '\0'))
      misfits.set(path, 'not UTF-8, as git requires for a file with a working-tree-encoding');
  }
  return misfits;
}

/**
 * Lists at most 20 files in the folders of submodules, which are never part of a commit of the repository itself. Skips a folder that a
 * task replaced by a link, or whose path contains a link.
 */
export async function listFilesInSubmodules(dir: string, submodules: readonly string[]): Promise<string[]> {
  const filePaths: string[] = [];
  for (const path of submodules) {
    if (!(await isLinkFree(dir, Buffer.from(path)))) continue;
    const names = await readdir(join(dir, path)).catch(() => []);
    for (const name of names) if (name !== '.git') filePaths.push(join(path, name));
  }
  return filePaths.slice(0, MAX_LISTED_PATHS);
}
