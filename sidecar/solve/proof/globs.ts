import { compileGlob } from '../../files/glob-pattern.ts';

/** Returns what matches a pattern of a project; nothing if it cannot be read. */
export function matcherOf(glob: string): ((path: string) => boolean)[] {
  try {
    return [compileGlob(glob)];
  } catch {
    return [];
  }
}
