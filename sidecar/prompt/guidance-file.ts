/** Files that say how to work here: small texts that may be missing, and that never fail a task. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ExecutionEnvironment } from '../ports.ts';

/** All AGENTS.md texts together, and the longest card, in bytes of UTF-8. */
export const MAX_GUIDANCE_BYTES = 32 * 1024;

/** A text of the workspace; undefined for one that is missing, empty, binary or not to be read. Never rejects. */
export async function readWorkspaceFile(
  env: ExecutionEnvironment,
  path: string,
): Promise<string | undefined> {
  try {
    const { sizeBytes } = await env.stat(path);
    if (sizeBytes === 0) return undefined;
    const file =
      sizeBytes <= MAX_GUIDANCE_BYTES ? await env.readFile(path) : await env.readFile(path, { limit: 400 });
    return file.text;
  } catch {
    // Most folders have none; one that is unreadable or binary gives no guidance either.
    return undefined;
  }
}

/** The beginning of a file of the user's own. Never rejects. */
export async function readUserFile(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return undefined;
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(MAX_GUIDANCE_BYTES),
        0,
        MAX_GUIDANCE_BYTES,
        0,
      );
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    // Most users have no such file.
    return undefined;
  }
}
