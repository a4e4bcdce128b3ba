/**
 * Creates bare git dirs of the worker: repository caches, and private dirs that track a folder's changes from outside. The configuration is
 * a constant, so a modified one is detected and replaced. `info/attributes` overrides every `.gitattributes`: no filters, no encodings, no
 * `$Id$`.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { runGit } from './git.ts';
import { unwrapOutcome } from '../base/values/outcome.ts';

export type ObjectFormat = 'sha1' | 'sha256';

const ATTRIBUTES = '* -filter -working-tree-encoding -ident\n';
/**
 * Folders of dependencies and caches, which are never part of a task's work even if a repository does not ignore them. Files in them that
 * git tracks remain tracked.
 */
export const DEPENDENCY_EXCLUDES = ['node_modules', '.venv', '__pycache__'];

export const objectFormatOf = (commit: string): ObjectFormat => (commit.length === 64 ? 'sha256' : 'sha1');

function buildConfig(format: ObjectFormat): string {
  const platform = process.platform === 'darwin' ? '\tignorecase = true\n\tprecomposeunicode = true\n' : '';
  const core = (version: number): string =>
    `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = true\n${platform}`;
  return format === 'sha1' ? core(0) : `${core(1)}[extensions]\n\tobjectformat = sha256\n`;
}

/**
 * Makes the git dir, or repairs the configuration of an existing one. `alternates`: further object stores from which git reads. Throws an
 * error with a code, or the system's error.
 */
export async function ensureGitDir(
  gitDir: string,
  options: { format?: ObjectFormat; excludes?: string; alternates?: readonly string[] } = {},
): Promise<void> {
  const config = buildConfig(options.format ?? 'sha1');
  const current = await readTextIfExists(join(gitDir, 'config'));
  if (current !== config && current !== buildConfig('sha256')) {
    await mkdir(gitDir, { recursive: true });
    const args = ['init', '--quiet', '--bare', '--template=', `--object-format=${options.format ?? 'sha1'}`];
    // Without this variable, newer versions of git could store refs in another format.
    unwrapOutcome(await runGit({ gitDir, args, env: { GIT_DEFAULT_REF_FORMAT: 'files' } }));
    await mkdir(join(gitDir, 'info'), { recursive: true });
    await writeFileAtomically(join(gitDir, 'info', 'attributes'), ATTRIBUTES);
    await writeFileAtomically(
      join(gitDir, 'info', 'exclude'),
      `${DEPENDENCY_EXCLUDES.join('\n')}\n${options.excludes ?? ''}`,
    );
    await writeFileAtomically(join(gitDir, 'config'), config);
  }
  if (options.alternates === undefined) return;
  const path = join(gitDir, 'objects', 'info', 'alternates');
  const stores = options.alternates.map((store) => `${store}\n`).join('');
  if ((await readTextIfExists(path)) !== stores) await writeFileAtomically(path, stores);
}

const readTextIfExists = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined);

/** Writes a file atomically: a reader sees the old or the new content, never a part of it. */
export async function writeFileAtomically(path: string, content: string | Buffer): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, content);
  await rename(temporary, path);
}
