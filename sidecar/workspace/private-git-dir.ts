/**
 * A bare git dir that this room writes itself: repository caches, and private dirs that follow a folder's
 * changes from outside of it. Its configuration is a constant, so one that a task has touched is recognised
 * and written anew. `info/attributes` wins over every `.gitattributes`: no filters, no re-encoding, no `$Id$`.
 */
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';

export type ObjectFormat = 'sha1' | 'sha256';

const attributes = '* -filter -working-tree-encoding -ident\n';
/** Never work of a task, though a repository may have forgotten to ignore it. Tracked files stay tracked. */
const excludes = 'node_modules\n.venv\n__pycache__\n';

function configText(format: ObjectFormat): string {
  const platform = process.platform === 'darwin' ? '\tignorecase = true\n\tprecomposeunicode = true\n' : '';
  const core = (version: number): string =>
    `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = true\n${platform}`;
  return format === 'sha1' ? core(0) : `${core(1)}[extensions]\n\tobjectformat = sha256\n`;
}

/** Makes the git dir, or repairs the configuration of one that exists. */
export async function ensureGitDir(
  gitDir: string,
  options: { format?: ObjectFormat; excludes?: string; alternates?: string } = {},
): Promise<void> {
  const config = configText(options.format ?? 'sha1');
  const current = await readFile(join(gitDir, 'config'), 'utf8').catch(() => undefined);
  if (current === config || (current !== undefined && current === configText('sha256'))) return;
  await mkdir(join(gitDir, 'objects', 'info'), { recursive: true });
  await mkdir(join(gitDir, 'refs', 'heads'), { recursive: true });
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await writeWhole(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  await writeWhole(join(gitDir, 'info', 'attributes'), attributes);
  await writeWhole(join(gitDir, 'info', 'exclude'), `${excludes}${options.excludes ?? ''}`);
  if (options.alternates !== undefined) {
    await writeWhole(join(gitDir, 'objects', 'info', 'alternates'), `${options.alternates}\n`);
  }
  await writeWhole(join(gitDir, 'config'), config);
}

/** Writes a file so that a reader sees the old or the new content, never a part. */
export async function writeWhole(path: string, content: string | Buffer): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, content);
  await rename(temporary, path);
}

/**
 * Sets a ref of a git dir that this room writes, as `git update-ref --no-deref` does, without a process: on disk, and
 * whole for every reader. `name` is one that this program made up; two writers of one ref at a time do not exist.
 */
export async function writeRef(gitDir: string, name: string, commit: string): Promise<void> {
  const path = join(gitDir, name);
  const temporary = join(gitDir, `ref.${randomUUID()}`);
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(temporary, 'wx');
  try {
    await handle.writeFile(`${commit}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
}
