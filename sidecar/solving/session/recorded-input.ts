/**
 * Reads and writes `input.jsonl`: the answers of models and the input of users in a task, for a replay of its session. The file is written
 * when the task ends.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errorCode } from '../../base/values/errors.ts';
import { parseJson } from '../../base/values/json.ts';

const INPUT_FILE = 'input.jsonl';

const inputSchema = z.object({
  kind: z.enum(['answer', 'intent', 'result', 'input']),
  stage: z.string(),
  round: z.number().int(),
  body: z.unknown(),
});

/** An answer of a model or of a user, or messages of users, with the question that they belong to. */
export type RecordedInput = z.output<typeof inputSchema>;

/** Replaces the recorded input. Rejects on a disk error. */
export async function writeInput(folder: string, input: readonly RecordedInput[]): Promise<void> {
  const lines = input.map((one) => `${JSON.stringify(one)}\n`);
  await writeFile(join(folder, INPUT_FILE), lines.join(''), { mode: 0o600 });
}

/** Returns the recorded input; none if there is no file. Skips lines that cannot be parsed. */
export async function readInput(folder: string): Promise<RecordedInput[]> {
  const text = await readFile(join(folder, INPUT_FILE), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => inputSchema.safeParse(parseJson(line)).data ?? []);
}
