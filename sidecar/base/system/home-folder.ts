/** The user's home folder, and this program's own folders by XDG, which lie in it by default. */
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** Returns `HOME`, else the system's entry of the user; `/`, as containers have it, for a user without one. Never throws. */
export function homeFolder(): string {
  try {
    // An empty one would be whatever folder a command is started in.
    return process.env.HOME || userInfo().homedir;
  } catch {
    return '/';
  }
}

const PLACES = { CONFIG: '.config', STATE: '.local/state', DATA: '.local/share', CACHE: '.cache' } as const;

/** Returns `$XDG_<kind>_HOME/ollama-sidecar`, or its default below the home folder if the variable is unset or empty. */
export const ownFolder = (kind: keyof typeof PLACES, env: NodeJS.ProcessEnv = process.env): string =>
  join(env[`XDG_${kind}_HOME`] || join(homeFolder(), PLACES[kind]), 'ollama-sidecar');
