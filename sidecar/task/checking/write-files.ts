import type { ChangedFile } from '../../applying/index.ts';
import type { ExecutionEnvironment, Outcome } from '../../ports.ts';
import { errorMessage } from '../../values/errors.ts';

/** Puts changed files into a tree; those that are to go are removed. A path that may not be written is data. */
export async function writeFiles(
  env: Pick<ExecutionEnvironment, 'writeFile' | 'deleteFile'>,
  files: readonly ChangedFile[],
): Promise<Outcome<true>> {
  for (const { path, after } of files) {
    try {
      if (after === undefined) await env.deleteFile(path);
      else await env.writeFile(path, after);
    } catch (error) {
      return {
        ok: false,
        failure: { code: 'draft_not_written', message: `${path}: ${errorMessage(error)}` },
      };
    }
  }
  return { ok: true, value: true };
}
