import type { ChangedFile } from '../../applying/index.ts';
import type { ExecutionEnvironment, Outcome } from '../../ports.ts';
import { errorMessage } from '../../values/errors.ts';

type Writer = Pick<ExecutionEnvironment, 'writeFile' | 'deleteFile'>;

/** Writes a changed file, or removes it where it is to go. Rejects where the path may not be written. */
export async function writeChange(env: Writer, { path, after }: ChangedFile): Promise<void> {
  if (after === undefined) await env.deleteFile(path);
  else await env.writeFile(path, after);
}

/** Puts changed files into a tree; those that are to go are removed. A path that may not be written is data. */
export async function writeFiles(env: Writer, files: readonly ChangedFile[]): Promise<Outcome<true>> {
  for (const file of files) {
    try {
      await writeChange(env, file);
    } catch (error) {
      return {
        ok: false,
        failure: { code: 'draft_not_written', message: `${file.path}: ${errorMessage(error)}` },
      };
    }
  }
  return { ok: true, value: true };
}
