/**
 * Names temporary files, which are renamed over their targets after writing. A worker that is killed before
 * the rename leaves one behind. It belongs to no task, so it is not committed, and it is removed when the
 * workspace is reused.
 */
import { randomBytes } from 'node:crypto';

export const createTemporaryName = (): string => `.write-${randomBytes(8).toString('hex')}.tmp`;

/** Returns whether `name`, without its folder, is the name of a temporary file of this program. */
export const isTemporaryName = (name: string): boolean => /^\.write-[0-9a-f]{16}\.tmp$/u.test(name);

/** Pathspec of git for temporary files in all folders. Also matches other files of this pattern. */
export const TEMPORARY_PATHSPEC = ':(glob)**/.write-*.tmp';
