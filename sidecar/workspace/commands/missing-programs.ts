/**
 * Detects programs that a command did not find although this host has them: the sandbox does not show their folder, or only the shell of a
 * user has it on its PATH.
 */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findExecutable } from './find-executable.ts';
import { isWithin, resolveRealPaths } from './host-paths.ts';
import type { SandboxMount } from './sandbox.ts';

/** Exit codes of a shell if a program is missing (127) or cannot be started (126). */
export const NOT_STARTED_EXIT_CODES = [126, 127];

/** Folders into which installers put programs of a single user. */
const USER_PROGRAM_FOLDERS =
  'bin .local/bin .cargo/bin go/bin .npm-global/bin .yarn/bin .bun/bin .deno/bin .pyenv/shims .rbenv/shims .local/share/pnpm'.split(
    ' ',
  );
const MAX_WORDS = 200;
const MAX_SEARCHED_CHARS = 2_000;
const MAX_NAMED_PROGRAMS = 3;

/**
 * Returns a sentence for each program named in `texts` (a command line and the end of its output) that this host has but commands cannot
 * start.
 */
export function describeHiddenPrograms(
  texts: readonly string[],
  {
    searchFolders,
    homes,
    mounts,
  }: { searchFolders: readonly string[]; homes: readonly string[]; mounts: readonly SandboxMount[] },
): string[] {
  const words = texts.flatMap((text) => text.slice(-MAX_SEARCHED_CHARS).match(/[\w][\w.+-]*/g) ?? []);
  const isShown = (path: string): boolean => {
    const above = mounts.filter((mount) => isWithin(path, mount.path));
    const nearest = above.toSorted((a, b) => b.path.length - a.path.length)[0];
    if (nearest === undefined || nearest.kind === 'hidden' || nearest.kind === 'masked') return false;
    const { kind, source = nearest.path } = nearest;
    return kind === 'link' || existsSync(join(source, relative(nearest.path, path)));
  };
  const userFolders = homes.flatMap((home) => USER_PROGRAM_FOLDERS.map((name) => join(home, name)));
  const isThere = (path: string): boolean => [path, ...resolveRealPaths([path])].every(isShown);
  return [...new Set(words)]
    .slice(0, MAX_WORDS)
    .flatMap((word) => {
      const programsIn = (folders: readonly string[]) =>
        folders.map((folder) => join(folder, word)).filter((path) => findExecutable([path]) !== undefined);
      const [shown, [elsewhere]] = [programsIn(searchFolders), programsIn(userFolders)];
      if (shown.some(isThere)) return [];
      const [real] = resolveRealPaths(shown);
      if (real !== undefined)
        return `${word} is ${real}, which commands cannot read: add ${dirname(real)} to sandbox.read`;
      return elsewhere === undefined
        ? []
        : `${word} is in ${dirname(elsewhere)}, which is not on the worker's PATH: add this folder to PATH and restart the worker`;
    })
    .slice(0, MAX_NAMED_PROGRAMS);
}
