/**
 * Manages the folder of an evaluation: `settings.json`, `records.jsonl` during the run, then `result.json`
 * and `report.md`. `answers.jsonl` has the model's answers, `results/` each task's result, `data/sessions`
 * the conversations, `state` and `work` the worker's files.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findProgramFolder } from '../../base/system/home-folder.ts';
import { createCodedError, errorMessage } from '../../base/values/errors.ts';
import { parseJson } from '../../base/values/json.ts';
import { readRecords, type RunRecord } from './record.ts';
import {
  evaluationFileSchema,
  settingsSchema,
  type EvaluationFile,
  type EvaluationSettings,
} from './summary.ts';

const SETTINGS_FILE = 'settings.json';
export const RECORDS_FILE = 'records.jsonl';
export const RESULT_FILE = 'result.json';
export const REPORT_FILE = 'report.md';

/** Creates the error for an unusable folder. `message` contains advice. */
const createFolderError = (message: string): Error => createCodedError('evaluate_folder', message);

export interface EvaluationFolder {
  dir: string;
  settings: EvaluationSettings;
  /** Finished runs of a resumed evaluation; empty for a new one. */
  records: RunRecord[];
}

/** Returns the default folder of evaluations. */
export const findEvaluationsFolder = (): string => join(findProgramFolder('DATA'), 'evaluations');

/**
 * Creates the folder of a new evaluation. Rejects with the code `evaluate_folder` if the folder already has
 * an evaluation.
 */
export async function createEvaluationFolder(
  folderPath: string | undefined,
  settings: EvaluationSettings,
): Promise<EvaluationFolder> {
  const dir = resolve(folderPath ?? join(findEvaluationsFolder(), settings.startedAt.replaceAll(':', '-')));
  if (existsSync(join(dir, SETTINGS_FILE)))
    throw createFolderError(
      `${dir} contains an evaluation. Resume it with --continue, or choose another folder with --output.`,
    );
  await mkdir(dir, { recursive: true });
  await writeJson(join(dir, SETTINGS_FILE), settings);
  return { dir, settings, records: [] };
}

/**
 * Opens the evaluation to resume, by default the newest. Rejects with the code `evaluate_folder` if there is
 * none.
 */
export async function openEvaluationFolder(folderPath: string | undefined): Promise<EvaluationFolder> {
  const dir = folderPath === undefined ? await findNewestFolder() : resolve(folderPath);
  const settings = settingsSchema.safeParse(await readJson(join(dir, SETTINGS_FILE)));
  if (!settings.success)
    throw createFolderError(`${dir} contains no evaluation to resume. Omit --continue to start one.`);
  return { dir, settings: settings.data, records: await readRecords(join(dir, RECORDS_FILE)) };
}

async function findNewestFolder(): Promise<string> {
  const root = findEvaluationsFolder();
  const names = await readdir(root).catch(() => []);
  const newest = names.toSorted((a, b) => (a < b ? -1 : 1)).at(-1);
  if (newest === undefined)
    throw createFolderError(
      `There is no evaluation to resume in ${root}. Name the folder of an evaluation with --output.`,
    );
  return join(root, newest);
}

/**
 * Reads an earlier result from its file or folder. Rejects with the code `evaluate_folder` if there is none.
 */
export async function readEvaluation(path: string): Promise<EvaluationFile> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  const file = isFolder ? join(path, RESULT_FILE) : path;
  const parsed = evaluationFileSchema.safeParse(await readJson(file));
  if (parsed.success) return parsed.data;
  throw createFolderError(
    `${file} does not have the format of an evaluation result. Name the folder of an evaluation, or its ${RESULT_FILE}.`,
  );
}

async function readJson(path: string): Promise<unknown> {
  try {
    return parseJson(await readFile(path, 'utf8'));
  } catch (error) {
    throw createFolderError(`${path} cannot be read: ${errorMessage(error)}`);
  }
}

export const writeJson = (path: string, value: unknown): Promise<void> =>
  writeFile(path, `${JSON.stringify(value, undefined, 1)}\n`);
