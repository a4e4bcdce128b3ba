/**
 * Defines the record of a run: one line of `records.jsonl`, written when the run ends. A stopped evaluation
 * therefore loses no finished run and can be resumed.
 */
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { errorCode } from '../../base/values/errors.ts';
import { parseJson } from '../../base/values/json.ts';
import { taskKinds, taskLanguages } from './suite.ts';

const wholeNumberSchema = z.number().int().nonnegative();

export const recordSchema = z.object({
  task: z.string(),
  kind: z.enum(taskKinds),
  language: z.enum(taskLanguages),
  /** Number of the run, from 1. */
  run: z.number().int().positive(),
  model: z.string(),
  /** Strategy as requested; `default` leaves the choice to the worker. */
  strategy: z.string(),
  at: z.string(),
  /** Whether the hidden checks pass. For a question: whether the answer matches and no file was changed. */
  solved: z.boolean(),
  /** Result reported by the worker. */
  claimed: z.enum(['success', 'partial', 'failed']),
  /** Whether the worker claims success for an unsolved task. */
  falseSuccess: z.boolean(),
  changed: z.boolean(),
  seconds: z.number(),
  tokensIn: wholeNumberSchema,
  tokensOut: wholeNumberSchema,
  calls: wholeNumberSchema,
  malformed: wholeNumberSchema,
  termination: z.string(),
  verification: z.string(),
  checks: z.object({ passed: wholeNumberSchema, total: wholeNumberSchema }),
  /** Folder of the session, relative to the evaluation's folder. */
  session: z.string().optional(),
  /** First failure, in one line; empty if solved. */
  why: z.string(),
});
export type RunRecord = z.output<typeof recordSchema>;

/** Returns the key of a run. If a key has several records, the latest counts. */
export const runKeyOf = ({ model, task, run }: Pick<RunRecord, 'model' | 'task' | 'run'>): string =>
  JSON.stringify([model, task, run]);

/** Appends a record synchronously. Throws on a disk error. */
export function appendRecord(file: string, record: RunRecord): void {
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** Reads the records of a file and skips truncated lines. A missing file has no records. */
export async function readRecords(file: string): Promise<RunRecord[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => recordSchema.safeParse(parseJson(line)).data ?? []);
}
