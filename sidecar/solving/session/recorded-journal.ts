/** Reads and writes `journal.jsonl`, the journal entries of a task for a replay of its session. The file is written when the task ends. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { JournalEntry } from '../../base/ports.ts';
import { errorCode } from '../../base/values/errors.ts';
import { parseJson } from '../../base/values/json.ts';

const JOURNAL_FILE = 'journal.jsonl';

const entrySchema = z.object({
  kind: z.enum(['answer', 'intent', 'result', 'input']),
  stage: z.string(),
  round: z.number().int(),
  call: z.number().int(),
  body: z.unknown(),
});

/** Writes the entries and replaces earlier ones. Rejects on a disk error. */
export async function writeRecordedJournal(folder: string, entries: readonly JournalEntry[]): Promise<void> {
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
  await writeFile(join(folder, JOURNAL_FILE), lines.join(''), { mode: 0o600 });
}

/** Returns the recorded entries; none if the file is missing. Skips lines that cannot be parsed. */
export async function readRecordedJournal(folder: string): Promise<JournalEntry[]> {
  const text = await readFile(join(folder, JOURNAL_FILE), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => entrySchema.safeParse(parseJson(line)).data ?? []);
}
