/**
 * Describes the changes of a run for the result: files with line counts, and a patch that `git apply` applies byte for byte. If there is no
 * patch, the reason is given.
 */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_PATCH_BYTES } from '../base/protocol/limits.ts';
import type { Changes } from '../base/protocol/result.ts';
import { runGit, splitNul } from './git.ts';
import type { GitCall } from './git.ts';
import { type Outcome, success } from '../base/values/outcome.ts';

const MAX_LISTED_FILES = 1000;
const DIFF_TIMEOUT_MS = 60_000;
type ReportedFile = Changes['files'][number];

export interface Difference {
  files: ReportedFile[];
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
  const comparison = { gitDir, from, to, signal };
  const [listed, patch] = await Promise.all([
    runGit(buildDiffCall(comparison, ['--raw', '--numstat', '-z'])),
    runGit(buildDiffCall(comparison, PATCH_FLAGS, MAX_PATCH_BYTES)),
  ]);
  if (!listed.ok) return listed;
  const files = parseDiffOutput(listed.value);
  const text = patch.ok && !isUtf8(patch.value) ? await makePartsBinary(comparison, patch.value) : patch;
  const reason = text.ok ? undefined : PATCH_OMISSIONS[text.failure.code];
  if (!text.ok && reason === undefined) return text;
  const unlisted = files.length - MAX_LISTED_FILES;
  const notes = [reason, unlisted > 0 ? `${unlisted} more files are not listed` : undefined].filter(
    (note) => note !== undefined,
  );
  return success({
    files: files
      .slice(0, MAX_LISTED_FILES)
      .map(({ path, ...file }) => ({ path: path.toString('utf8'), ...file })),
    patch: text.ok ? text.value.toString('utf8') : '',
    ...(notes.length === 0 ? {} : { patch_omitted: notes.join('; ') }),
  });
}

interface Comparison {
  gitDir: string;
  from: string;
  to: string;
  signal?: AbortSignal;
}

const PATCH_FLAGS = ['-p', '--binary', '--full-index', '--no-ext-diff', '--no-textconv', '--no-color'];
const PATCH_OMISSIONS: Record<string, string> = {
  git_output_too_large: `the patch is larger than ${MAX_PATCH_BYTES} bytes`,
  git_timeout: 'git took too long to create the patch',
};

const buildDiffCall = (
  { from, to, ...where }: Comparison,
  flags: string[],
  maxOutputBytes?: number,
): GitCall => ({
  ...where,
  args: ['diff-tree', '-r', '-M', ...flags, from, to],
  timeoutMs: DIFF_TIMEOUT_MS,
  maxOutputBytes,
});

/**
 * Returns a patch in which each file whose part is not UTF-8 is binary, since a result is JSON. The binary parts are taken from a second
 * patch in which all files are binary.
 */
async function makePartsBinary(comparison: Comparison, patch: Buffer): Promise<Outcome<Buffer>> {
  const attributes = join(comparison.gitDir, `attributes-${randomUUID()}`);
  try {
    await writeFile(attributes, '* -diff\n');
    const call = buildDiffCall(comparison, PATCH_FLAGS, MAX_PATCH_BYTES);
    // A name that is not UTF-8 is written as its bytes.
    const settings = ['-c', `core.attributesFile=${attributes}`, '-c', 'core.quotePath=true'];
    const binary = await runGit({ ...call, args: [...settings, ...call.args] });
    if (!binary.ok) return binary;
    const [parts, binaryParts] = [splitPatch(patch), splitPatch(binary.value)];
    if (parts.length !== binaryParts.length) return binary;
    return success(
      Buffer.concat(parts.map((part, index) => (isUtf8(part) ? part : (binaryParts[index] ?? part)))),
    );
  } finally {
    await rm(attributes, { force: true });
  }
}

const PART_START = Buffer.from('\ndiff --git ');

/** Splits a patch into its parts, one for each file. */
function splitPatch(patch: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < patch.length;) {
    const end = patch.indexOf(PART_START, start) + 1 || patch.length;
    parts.push(patch.subarray(start, end));
    start = end;
  }
  return parts;
}

type ReportedPath = Omit<ReportedFile, 'path'> & { path: Buffer };

const STATUS_BY_LETTER: Record<string, ReportedFile['status']> = { A: 'added', D: 'deleted', R: 'renamed' };

/** Reads `--raw --numstat -z`: first all raw records (they begin with a colon), then all counts. */
export function parseDiffOutput(output: Buffer): ReportedPath[] {
  const parts = splitNul(output);
  const statuses = new Map<string, ReportedFile['status']>();
  const files: ReportedPath[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? Buffer.alloc(0);
    if (part[0] === COLON_BYTE) {
      const letter = part.toString('latin1').split(' ')[4]?.[0] ?? 'M';
      index += letter === 'R' || letter === 'C' ? 2 : 1;
      statuses.set(keyOf(parts[index]), STATUS_BY_LETTER[letter] ?? 'modified');
      continue;
    }
    const [additions = '', deletions = ''] = part.toString('latin1').split('\t', 2);
    let path = part.subarray(additions.length + deletions.length + 2);
    // A rename has an empty path here, followed by the old and the new one.
    if (path.length === 0) {
      path = parts[index + 2] ?? path;
      index += 2;
    }
    files.push({
      path,
      status: statuses.get(keyOf(path)) ?? 'modified',
      // Binary files are counted as `-`.
      additions: Number.parseInt(additions, 10) || 0,
      deletions: Number.parseInt(deletions, 10) || 0,
    });
  }
  return files;
}
const COLON_BYTE = ':'.charCodeAt(0);
const keyOf = (path: Buffer | undefined): string => path?.toString('latin1') ?? '';
