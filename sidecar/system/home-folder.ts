/** The user's home folder, and this program's own folders by XDG, which lie in it unless told otherwise. */
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** `HOME`, else what the system knows of the user; `/`, as containers have it, for one that it does not know. Never throws. */
export function homeFolder(): string {
  try {
    // An empty one would be whatever folder a command is started in.
    return process.env.HOME || userInfo().homedir;
  } catch {
    return '/';
  }
}

const PLACES = { CONFIG: '.config', STATE: '.local/state', DATA: '.local/share', CACHE: '.cache' } as const;

/** `$XDG_<kind>_HOME/ollama-sidecar`, or its default below the home folder where the variable is not set or empty. */
export const ownFolder = (kind: keyof typeof PLACES, env: NodeJS.ProcessEnv = process.env): string =>
  join(env[`XDG_${kind}_HOME`] || join(homeFolder(), PLACES[kind]), 'ollama-sidecar');
