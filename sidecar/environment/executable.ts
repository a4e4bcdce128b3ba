/** Looks for a program among the places where it may be. */
import { accessSync, constants } from 'node:fs';

/** The first of `paths` that is there and may be run. Never throws. */
export const firstExecutable = (paths: readonly string[]): string | undefined =>
  paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      // Not there: the next one.
      return false;
    }
  });
