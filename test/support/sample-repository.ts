/** A local repository for a worker's tasks: one file `a.txt` that says `bad`, on branch `main`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

const FIRST_COMMIT =
  'git init -q -b main --template= && git add -A && git -c user.name=t -c user.email=t@t commit -qm start';

/** Makes it as `<dir>/repo`, with further files (or another `a.txt`) where wanted; answers its path. */
export async function sampleRepository(
  dir: string,
  files: Record<string, string> = {},
  name = 'repo',
): Promise<string> {
  const repo = join(dir, name);
  await mkdir(repo);
  for (const [name, text] of Object.entries({ 'a.txt': 'bad\n', ...files })) {
    await mkdir(dirname(join(repo, name)), { recursive: true });
    await writeFile(join(repo, name), text);
  }
  // One shell: starting a process out of a large one takes longer than git does.
  await execa(FIRST_COMMIT, { cwd: repo, shell: true });
  return repo;
}
