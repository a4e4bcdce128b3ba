/** The user's home folder, for everything that lies in it. */
import { homedir, userInfo } from 'node:os';

/** `HOME`, else what the system knows of the user; `/`, as containers have it, for one that it does not know. Never throws. */
export function homeFolder(): string {
  try {
    // An empty one would be whatever folder a command is started in.
    return process.env.HOME === '' ? userInfo().homedir : homedir();
  } catch {
    return '/';
  }
}
