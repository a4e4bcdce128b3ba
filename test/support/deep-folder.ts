/** A folder deeper than any path: made from the inside, since no path could name its end. */
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes `path`, with `depth` folders in each other that have a file and a link to `target` each. */
export function makeDeepFolder(path: string, target: string, depth = 300): void {
  mkdirSync(path, { recursive: true });
  const next = `${path}.next`;
  for (let level = 0; level < depth; level += 1) {
    mkdirSync(join(next, 'wide'), { recursive: true });
    writeFileSync(join(next, 'file'), 'x');
    symlinkSync(target, join(next, 'link'));
    renameSync(path, join(next, 'd'.repeat(200)));
    renameSync(next, path);
  }
}
