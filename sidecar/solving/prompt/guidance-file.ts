/** Reads optional guidance files. A file that cannot be read does not fail the task. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ExecutionEnvironment } from '../../base/ports.ts';

/** Maximum size of all AGENTS.md files together, and of one SKILL.md, in bytes of UTF-8. */
export const MAX_GUIDANCE_BYTES = 32 * 1024;

/** Reads a file of the workspace. Returns undefined if it is missing, empty, binary or unreadable. Never rejects. */
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
    // Most folders have no guidance file. A file that is binary or unreadable counts as missing.
    return undefined;
  }
}

/** Reads the beginning of a user's file; returns undefined if it cannot be read. Never rejects. */
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
