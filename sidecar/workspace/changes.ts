/**
 * What a run changed, as the result carries it (protocol.md, Results): files with line counts, and a patch that
 * `git apply` takes back byte for byte, or a reason why there is none.
 */
import { isUtf8 } from 'node:buffer';
import type { Outcome } from '../ports.ts';
import { MAX_PATCH_BYTES } from '../protocol/limits.ts';
import type { Changes } from '../protocol/result.ts';
import { runGit } from './git.ts';
import { success } from './workspace-error.ts';
import { splitNul } from './work-tree.ts';

const MAX_LISTED_FILES = 1000;
const DIFF_TIMEOUT_MS = 60_000;
type FileChange = Changes['files'][number];

export interface Difference {
  files: FileChange[];
  patch: string;
  patch_omitted?: string;
}

/** Compares two trees (or commits) of a git dir. */
export async function describeDifference(
  gitDir: string,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<Outcome<Difference>> {
  if (from === to) return success({ files: [], patch: '' });
  const compare = (...flags: string[]): string[] => ['diff-tree', '-r', '-M', ...flags, from, to];
  const [listed, patch] = await Promise.all([
    runGit({ gitDir, args: compare('--raw', '--numstat', '-z'), timeoutMs: DIFF_TIMEOUT_MS, signal }),
    runGit({
      gitDir,
      args: compare('-p', '--binary', '--full-index', '--no-ext-diff', '--no-textconv', '--no-color'),
      maxOutputBytes: MAX_PATCH_BYTES,
      timeoutMs: DIFF_TIMEOUT_MS,
      signal,
    }),
  ]);
  if (!listed.ok) return listed;
  const files = parseFiles(listed.value);
  const shown = files.slice(0, MAX_LISTED_FILES);
  const notes =
    files.length > shown.length ? [`${files.length - shown.length} more files are not listed`] : [];
  if (!patch.ok && patch.failure.code !== 'git_output_too_large' && patch.failure.code !== 'git_timeout')
    return patch;
  if (!patch.ok) notes.unshift(`the patch is larger than ${MAX_PATCH_BYTES} bytes`);
  else if (!isUtf8(patch.value)) notes.unshift('the patch holds text that is not UTF-8');
  const text = patch.ok && isUtf8(patch.value) ? patch.value.toString('utf8') : '';
  return success({
    files: shown,
    patch: text,
    ...(notes.length === 0 ? {} : { patch_omitted: notes.join('; ') }),
  });
}

const statusOf: Record<string, FileChange['status']> = { A: 'added', D: 'deleted', R: 'renamed' };

/** Reads `--raw --numstat -z`: first all raw records (they begin with a colon), then all counts. */
export function parseFiles(output: Buffer): FileChange[] {
  const parts = splitNul(output);
  const statuses = new Map<string, FileChange['status']>();
  const files: FileChange[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? Buffer.alloc(0);
    if (part[0] === COLON) {
      const letter = part.toString('latin1').split(' ')[4]?.[0] ?? 'M';
      at += letter === 'R' || letter === 'C' ? 2 : 1;
      statuses.set(keyOf(parts[at]), statusOf[letter] ?? 'modified');
      continue;
    }
    const [additions = '', deletions = ''] = part.toString('latin1').split('\t', 2);
    let path = part.subarray(additions.length + deletions.length + 2);
    // A rename has an empty path here and the old and new one after it.
    if (path.length === 0) {
      path = parts[at + 2] ?? path;
      at += 2;
    }
    files.push({
      path: path.toString('utf8'),
      status: statuses.get(keyOf(path)) ?? 'modified',
      // Binary files are counted as `-`.
      additions: Number.parseInt(additions, 10) || 0,
      deletions: Number.parseInt(deletions, 10) || 0,
    });
  }
  return files;
}
const COLON = ':'.charCodeAt(0);
const keyOf = (path: Buffer | undefined): string => path?.toString('latin1') ?? '';
