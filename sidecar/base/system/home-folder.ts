/** Finds the user's home folder, and the XDG folders of this program, which lie below the home folder by default. */
import { userInfo } from 'node:os';
import { join } from 'node:path';

/**
 * Returns `HOME`, or else the home folder in the system's user database. Returns `/` if the user has no entry
 * there, as in some containers. Never throws.
 */
export function findHomeFolder(): string {
  try {
    // An empty `HOME` is ignored, since an empty path would mean the current folder of each command.
    return process.env.HOME || userInfo().homedir;
  } catch {
    return '/';
  }
}

const DEFAULT_FOLDERS = {
  CONFIG: '.config',
  STATE: '.local/state',
  DATA: '.local/share',
  CACHE: '.cache',
} as const;

/** Returns `$XDG_<kind>_HOME/ollama-sidecar`, or its default below the home folder if the variable is unset or empty. */
export const findProgramFolder = (
  kind: keyof typeof DEFAULT_FOLDERS,
  env: NodeJS.ProcessEnv = process.env,
): string => join(env[`XDG_${kind}_HOME`] || join(findHomeFolder(), DEFAULT_FOLDERS[kind]), 'ollama-sidecar');
