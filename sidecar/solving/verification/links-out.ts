/**
 * Finds symbolic links in a change that lead out of the repository. Users of the change would read and write other files through them.
 * Pure.
 */
import { isAbsolute, join, posix } from 'node:path';
import { listNames } from '../../base/values/shortening.ts';

const MAX_NAMED_LINKS = 10;

/** Returns a note that lists the links in a git patch that lead out of the repository; undefined if there is none. */
export function formatEscapingLinksNote(patch: string): string | undefined {
  const links = patch.split(/^(?=diff --git )/mu).flatMap((part) => {
    const isLink = /^(?:new (?:file )?mode|index [0-9a-f]+\.\.[0-9a-f]+) 120000$/mu.test(part);
    const [, path, target] =
      (isLink && /^\+\+\+ "?b\/(.*?)"?\t?\n@@[^\n]*\n(?:-.*\n(?:\\.*\n)?)?\+(.*)$/mu.exec(part)) || [];
    return path === undefined || target === undefined || !leavesTree(path, target)
      ? []
      : [`${path} → ${target}`];
  });
  if (links.length === 0) return undefined;
  return `Symbolic links point outside the repository: ${listNames(links, MAX_NAMED_LINKS)}`;
}

const leavesTree = (path: string, target: string): boolean =>
  isAbsolute(target) || /^\.\.(?:\/|$)/u.test(posix.normalize(join(posix.dirname(path), target)));
