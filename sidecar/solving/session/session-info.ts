/** Schema of `session.json`: the task of a session and its outcome. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

export const sessionInfoSchema = z.object({
  /** Session id, which is the name of the session's folder. */
  id: z.string(),
  task_id: z.string(),
  /** Time of the start, in ISO 8601 and UTC. */
  start: z.string(),
  /** Time of the end, in ISO 8601 and UTC; null while the session runs, and after a kill. */
  end: z.string().nullable().default(null),
  model: z.string().default(''),
  /** `running`, or the status of the result. */
  status: z.string().default('unknown'),
  termination_reason: z.string().nullable().default(null),
  tokens_in: z.number().int().default(0),
  tokens_out: z.number().int().default(0),
  /** Commit at which the work began, if there is a repository. */
  base_commit: z.string().optional(),
  /** The task as it was assigned, for a replay of the session. */
  task: z.record(z.string(), z.unknown()).optional(),
  /** Settings that affect how a task runs, by the keys of the configuration file. */
  settings: z.record(z.string(), z.unknown()).optional(),
});
export type SessionInfo = z.output<typeof sessionInfoSchema>;

const INFO_FILE = 'session.json';

/** Writes `session.json` atomically, so that a reader gets the old or the new file. Rejects on a disk error. */
export async function writeInfo(folder: string, info: SessionInfo): Promise<void> {
  const file = join(folder, INFO_FILE);
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(info, undefined, 2)}\n`, { mode: 0o600 });
  await rename(temporary, file);
}

/** Reads `session.json`; undefined if the file is missing or invalid. */
export async function readInfo(folder: string): Promise<SessionInfo | undefined> {
  try {
    const parsed = sessionInfoSchema.safeParse(JSON.parse(await readFile(join(folder, INFO_FILE), 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // The file is missing if the worker was killed before its first write. The session is still listed.
    return undefined;
  }
}
