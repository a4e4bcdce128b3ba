/** `session.json`: what a session was about and how it went. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

export const sessionInfoSchema = z.object({
  /** The folder's name. */
  id: z.string(),
  task_id: z.string(),
  /** ISO 8601 in UTC. */
  start: z.string(),
  /** Null while it runs, and after a kill. */
  end: z.string().nullable().default(null),
  model: z.string().default(''),
  /** `running`, or the result's status. */
  status: z.string().default('unknown'),
  termination_reason: z.string().nullable().default(null),
  tokens_in: z.number().int().default(0),
  tokens_out: z.number().int().default(0),
  /** Commit that the work began from, if there is a repository. */
  base_commit: z.string().optional(),
  /** The task as it was assigned, so that the session can be replayed. */
  task: z.record(z.string(), z.unknown()).optional(),
  /** The settings that decide how a task runs, by the keys of the configuration file. */
  settings: z.record(z.string(), z.unknown()).optional(),
});
export type SessionInfo = z.output<typeof sessionInfoSchema>;

const INFO_FILE = 'session.json';

/** Atomic: a reader sees the old or the new file. Rejects when the disk fails. */
export async function writeInfo(folder: string, info: SessionInfo): Promise<void> {
  const file = join(folder, INFO_FILE);
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(info, undefined, 2)}\n`, { mode: 0o600 });
  await rename(temporary, file);
}

/** Undefined if the file is missing or cannot be read as one. */
export async function readInfo(folder: string): Promise<SessionInfo | undefined> {
  try {
    const parsed = sessionInfoSchema.safeParse(JSON.parse(await readFile(join(folder, INFO_FILE), 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // A worker that was killed before the first write leaves none; the folder is still listed.
    return undefined;
  }
}
