/**
 * Names temporary files, which replace their targets by a rename after writing. A worker that is killed before the rename leaves such a
 * file behind. It belongs to no task, so it is never committed, and is removed when the workspace is reused.
 */
import { randomBytes } from 'node:crypto';

export const createTemporaryName = (): string => `.write-${randomBytes(8).toString('hex')}.tmp`;

/** Returns whether `name`, without its folder, is the name of a temporary file of this program. */
export const isTemporaryName = (name: string): boolean => /^\.write-[0-9a-f]{16}\.tmp$/u.test(name);

/** Git pathspec of temporary files in all folders. It may also match other files with such names. */
export const TEMPORARY_PATHSPEC = ':(glob)**/.write-*.tmp';
