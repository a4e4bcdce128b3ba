/**
 * The record of each run of a task: one line of `records.jsonl`, written when the run ends, so that an evaluation that
 * is stopped loses nothing and can be gone on with.
 */
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { errorCode } from '../values/errors.ts';
import { parseJson } from '../values/json.ts';
import { taskKinds, taskLanguages } from './suite.ts';

const whole = z.number().int().nonnegative();

export const recordSchema = z.object({
  task: z.string(),
  kind: z.enum(taskKinds),
  language: z.enum(taskLanguages),
  /** From 1. */
  run: z.number().int().positive(),
  model: z.string(),
  /** As asked for; `default` is what the worker chooses. */
  strategy: z.string(),
  at: z.string(),
  /** The hidden checks pass; for a question: the answer fits and nothing was changed. */
  solved: z.boolean(),
  /** The worker's result. */
  claimed: z.enum(['success', 'partial', 'failed']),
  /** It claims success, and it is not solved. */
  falseSuccess: z.boolean(),
  changed: z.boolean(),
  seconds: z.number(),
  tokensIn: whole,
  tokensOut: whole,
  calls: whole,
  malformed: whole,
  termination: z.string(),
  verification: z.string(),
  checks: z.object({ passed: whole, total: whole }),
  /** Folder of the session, relative to the evaluation's. */
  session: z.string().optional(),
  /** The first thing that went wrong, in one line; empty when it is solved. */
  why: z.string(),
});
export type RunRecord = z.output<typeof recordSchema>;

/** The key of a run: a record with the same key stands for it. */
export const runKey = ({ model, task, run }: Pick<RunRecord, 'model' | 'task' | 'run'>): string =>
  JSON.stringify([model, task, run]);

/** Appends one record; it is in the file when this returns. Throws when the disk fails. */
export function appendRecord(file: string, record: RunRecord): void {
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** The records of a file; one that was cut off in writing is left out, a missing file has none. */
export async function readRecords(file: string): Promise<RunRecord[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => recordSchema.safeParse(parseJson(line)).data ?? []);
}
