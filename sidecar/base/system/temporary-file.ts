/**
 * Names of the files that content is written to before it is renamed over its target. A worker that is killed in between
 * leaves one behind: it belongs to no work, so it is not committed, and removed when the workspace is taken over.
 */
import { randomBytes } from 'node:crypto';

export const temporaryName = (): string => `.write-${randomBytes(8).toString('hex')}.tmp`;

/** Returns whether `name`, without its folder, can only be a temporary file of this program. */
export const isTemporaryName = (name: string): boolean => /^\.write-[0-9a-f]{16}\.tmp$/u.test(name);

/** For git: all of these, and others that look alike, in every folder. */
export const TEMPORARY_PATHSPEC = ':(glob)**/.write-*.tmp';
