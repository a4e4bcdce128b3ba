/**
 * Manages the folder of an evaluation: `settings.json`, `records.jsonl` during the run, then `result.json`
 * and `report.md`. `answers.jsonl` has the model's answers, `results/` each task's result, `data/sessions`
 * the conversations, `state` and `work` the worker's files.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ownFolder } from '../../base/system/home-folder.ts';
import { codedError, errorMessage } from '../../base/values/errors.ts';
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
const folderError = (message: string): Error => codedError('evaluate_folder', message);

export interface EvaluationFolder {
  dir: string;
  settings: EvaluationSettings;
  /** Records of a resumed evaluation. */
  records: RunRecord[];
}

/** Returns the default folder of evaluations. */
export const evaluationsFolder = (): string => join(ownFolder('DATA'), 'evaluations');

/**
 * Creates the folder of a new evaluation. Rejects with the code `evaluate_folder` if the folder already has
 * an evaluation.
 */
export async function createEvaluationFolder(
  named: string | undefined,
  settings: EvaluationSettings,
): Promise<EvaluationFolder> {
  const dir = resolve(named ?? join(evaluationsFolder(), settings.startedAt.replaceAll(':', '-')));
  if (existsSync(join(dir, SETTINGS_FILE)))
    throw folderError(
      `${dir} holds an evaluation. Resume it with --continue, or choose another folder with --output.`,
    );
  await mkdir(dir, { recursive: true });
  await writeJson(join(dir, SETTINGS_FILE), settings);
  return { dir, settings, records: [] };
}

/**
 * Opens the evaluation to resume, by default the newest. Rejects with the code `evaluate_folder` if there is
 * none.
 */
export async function openEvaluationFolder(named: string | undefined): Promise<EvaluationFolder> {
  const dir = named === undefined ? await newestFolder() : resolve(named);
  const settings = settingsSchema.safeParse(await readJson(join(dir, SETTINGS_FILE)));
  if (!settings.success)
    throw folderError(`${dir} holds no evaluation to resume. Omit --continue to start one.`);
  return { dir, settings: settings.data, records: await readRecords(join(dir, RECORDS_FILE)) };
}

async function newestFolder(): Promise<string> {
  const root = evaluationsFolder();
  const names = await readdir(root).catch(() => []);
  const newest = names.toSorted((a, b) => (a < b ? -1 : 1)).at(-1);
  if (newest === undefined)
    throw folderError(`There is no evaluation to resume in ${root}. Name its folder with --output.`);
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
  throw folderError(`${file} is not the result of an evaluation (${RESULT_FILE}).`);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return parseJson(await readFile(path, 'utf8'));
  } catch (error) {
    throw folderError(`${path} cannot be read: ${errorMessage(error)}`);
  }
}

export const writeJson = (path: string, value: unknown): Promise<void> =>
  writeFile(path, `${JSON.stringify(value, undefined, 1)}\n`);
