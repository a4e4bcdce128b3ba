/** `dev evaluate`: measures models on a suite of tasks with hidden checks. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createEvaluationFolder,
  openEvaluationFolder,
  readEvaluation,
  RECORDS_FILE,
  REPORT_FILE,
  RESULT_FILE,
  writeJson,
  type EvaluationFolder,
} from '../evaluate/evaluation-folder.ts';
import { appendRecord, type RunRecord } from '../evaluate/record.ts';
import { loadVariantCatalog, splitVariant } from '../evaluate/variant.ts';
import { findMissingRequirement } from '../evaluate/requirements.ts';
import { runAll } from '../evaluate/run-all.ts';
import { formatReport } from '../evaluate/report.ts';
import { runTask, type PlannedRun } from '../evaluate/run-task.ts';
import { writeProfiles } from '../evaluate/write-profile.ts';
import { loadSuite, type EvaluationTask } from '../evaluate/suite.ts';
import {
  compareEvaluations,
  summarise,
  type EvaluationFile,
  type EvaluationSettings,
} from '../evaluate/summary.ts';
import { validateSuite } from '../evaluate/validate-suite.ts';
import { findUserModelsFile } from '../../base/config/layers.ts';
import type { Config } from '../../base/config/schema.ts';
import { VERSION } from '../../base/system/version.ts';
import { resolveWorkerFolders } from '../../worker/folders.ts';
import { checkModel } from '../check-model.ts';
import { checkGit } from '../preflight.ts';
import { showProfile, showRun } from '../evaluation-view.ts';
import { EXIT, createUsageError, type ExitCode } from '../exit-codes.ts';
import { computeMaxTasks } from '../../worker/task-order.ts';
import { runInterruptible, type Interruption } from '../interruption.ts';
import { startLocalSession } from '../local-session.ts';
import { checkSandbox } from '../preflight.ts';
import { loadSettings, type CommandFlags } from '../settings.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

interface EvaluateOptions extends CommandFlags {
  model?: string[];
  runs: number;
  only?: string[];
  tier?: 'small' | 'full';
  strategy?: string;
  compare?: string;
  continue?: boolean;
  output?: string;
  timeout: number;
  set?: string[];
  validate?: boolean;
  writeProfile?: boolean;
}

export const evaluateCommand = (suite: string | undefined, options: EvaluateOptions): Promise<void> =>
  runInterruptible((interruption) => evaluate(suite, options, interruption));

async function evaluate(
  suiteDir: string | undefined,
  options: EvaluateOptions,
  interruption: Interruption,
): Promise<ExitCode> {
  const terminal = createTerminal(options.json);
  if (options.validate) return validate(suiteDir, options);
  const earlier = options.compare === undefined ? undefined : await readEvaluation(options.compare);
  const resumedFolder = options.continue ? await openEvaluationFolder(options.output) : undefined;
  const set = resumedFolder?.settings.set ?? Object.fromEntries((options.set ?? []).map(splitSetting));
  const { configuration } = splitVariant(set);
  const { config } = await loadSettings({ ...options, set: configuration });
  const folder = resumedFolder ?? (await createFolder(suiteDir, options, { config, set }));
  const tasks = await tasksOf(terminal, folder.settings, options);
  await runEvaluation(terminal, { folder, tasks, config: createRunConfig(config, folder), interruption });
  await showResult(terminal, folder, earlier);
  if (options.writeProfile) await showProfiles(terminal, [folder, ...(earlier ? [earlier] : [])]);
  return interruption.exitCode ?? EXIT.ok;
}

async function validate(suiteDir: string | undefined, options: EvaluateOptions): Promise<ExitCode> {
  const { config } = await loadSettings(options);
  return validateSuite(suiteDir ?? findShippedSuite(), options.only, config);
}

/** Creates the folder of a new evaluation with its settings, which a resumed evaluation retains. */
async function createFolder(
  suiteDir: string | undefined,
  options: EvaluateOptions,
  { config, set }: { config: Config; set: Record<string, string> },
): Promise<EvaluationFolder> {
  const models = modelsOf(options, config);
  const settings: EvaluationSettings = {
    suite: resolve(suiteDir ?? findShippedSuite()),
    models,
    runs: options.runs,
    ...(options.only !== undefined && { only: options.only }),
    ...(options.tier !== undefined && { tier: options.tier }),
    ...(options.strategy !== undefined && { strategy: options.strategy }),
    set,
    timeoutSeconds: options.timeout,
    program: `ollama-sidecar ${VERSION}`,
    startedAt: new Date().toISOString(),
  };
  await loadSuite(settings.suite);
  return createEvaluationFolder(options.output, settings);
}

function modelsOf(options: EvaluateOptions, config: Config): string[] {
  const models = options.model ?? (config.model.default === undefined ? [] : [config.model.default]);
  if (models.length > 0) return models;
  throw createUsageError('usage_invalid', 'Name a model to evaluate with --model.');
}

function splitSetting(text: string): [string, string] {
  const separatorIndex = text.indexOf('=');
  if (separatorIndex > 0) return [text.slice(0, separatorIndex), text.slice(separatorIndex + 1)];
  throw createUsageError('usage_invalid', `--set ${text}: write key=value.`);
}

/** Finds the shipped suite, in the package or in the source tree. */
function findShippedSuite(): string {
  const relativePaths = ['../evals/tasks', '../../evals/tasks', '../../../evals/tasks'];
  const suiteFolder = relativePaths
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((path) => existsSync(path));
  if (suiteFolder !== undefined) return suiteFolder;
  throw createUsageError(
    'evaluate_suite',
    'This installation contains no suite. Name the folder of a suite.',
  );
}

async function tasksOf(
  terminal: Terminal,
  settings: EvaluationSettings,
  options: EvaluateOptions,
): Promise<EvaluationTask[]> {
  const { suite: suiteDir, tier = options.tier } = settings;
  const only = options.only ?? settings.only;
  const suite = await loadSuite(suiteDir, { only, tier });
  for (const problem of suite.problems) terminal.note(`WARNING: skipped, ${problem}`);
  const tasks = suite.tasks.filter((task) => {
    const reason = findMissingRequirement(task);
    if (reason !== undefined) terminal.note(`${task.id}: skipped, ${reason}`);
    return reason === undefined;
  });
  if (tasks.length > 0) return tasks;
  throw createUsageError('evaluate_suite', `No task of ${suiteDir} can be run. Check --only and --tier.`);
}

/** Returns the configuration of the runs: the worker's folders are in the evaluation's folder, and the user's AGENTS.md is not used. */
function createRunConfig(config: Config, { dir }: EvaluationFolder): Config {
  return {
    ...config,
    worker: { ...config.worker, stateDir: join(dir, 'state'), dataDir: join(dir, 'data') },
    prompt: { ...config.prompt, userGuidanceFile: '' },
    approval: { ...config.approval, summary: 'auto', question: 'auto', command: 'auto' },
    retention: {
      ...config.retention,
      sessionDays: 3650,
      sessionBytes: Number.MAX_SAFE_INTEGER,
    },
  };
}

interface OpenEvaluation {
  folder: EvaluationFolder;
  tasks: EvaluationTask[];
  config: Config;
  interruption: Interruption;
}

/** A runner of tasks, which must be closed at the end. */
interface TaskRunner {
  run: (planned: PlannedRun) => Promise<RunRecord | undefined>;
  close: () => Promise<void>;
}

async function runEvaluation(terminal: Terminal, evaluation: OpenEvaluation): Promise<void> {
  const { folder, tasks, config, interruption } = evaluation;
  const { models, runs } = folder.settings;
  await Promise.all([...models.map((model) => checkModel(config, model)), checkGit()]);
  const warning = await checkSandbox(config);
  if (warning) terminal.note(warning);
  terminal.note(`Records are written to ${folder.dir}`);
  const runner = await startRunner(evaluation);
  try {
    await runAll({
      tasks,
      models,
      runs,
      done: folder.records,
      concurrency: computeMaxTasks(config),
      signal: interruption.firstSignal,
      run: async (planned) => stopWithoutModel(config, await runner.run(planned)),
      onRecord: (record, progress) => {
        appendRecord(join(folder.dir, RECORDS_FILE), record);
        folder.records.push(record);
        if (terminal.json) terminal.data(record);
        else showRun(terminal, record, progress);
      },
    });
  } finally {
    await runner.close();
  }
}

async function startRunner({ folder, config, interruption }: OpenEvaluation): Promise<TaskRunner> {
  const { models, strategy, set, timeoutSeconds } = folder.settings;
  const session = await startLocalSession({
    config: { ...config, model: { ...config.model, default: models[0] } },
    logLevel: 'error',
    catalog: await loadVariantCatalog(splitVariant(set), models, findUserModelsFile()),
    state: 'own',
    workerId: 'evaluate',
  });
  const options = {
    hub: session.client,
    output: folder.dir,
    sessionsDir: resolveWorkerFolders(config.worker).sessionsDir,
    ...(strategy !== undefined && { strategy }),
    timeoutMs: timeoutSeconds * 1000,
    checkOptions: { config },
    signal: AbortSignal.any([interruption.firstSignal, session.workerLost]),
  };
  const run: TaskRunner['run'] = async (planned) => {
    const record = await runTask(planned, options);
    session.workerLost.throwIfAborted();
    return record;
  };
  return { run, close: () => session.close() };
}

/**
 * Rejects if a run failed because the model server is down, so that the evaluation stops without a record of this run.
 */
async function stopWithoutModel(
  config: Config,
  record: RunRecord | undefined,
): Promise<RunRecord | undefined> {
  if (record?.termination === 'model_error') await checkModel(config, record.model);
  return record;
}

async function showResult(
  terminal: Terminal,
  { dir, settings, records }: EvaluationFolder,
  earlier: EvaluationFile | undefined,
): Promise<void> {
  if (records.length === 0) return;
  const summaries = summarise(records);
  const comparisons = earlier && compareEvaluations(records, earlier.records);
  const result = { settings, summaries, ...(comparisons && { comparisons }), records };
  await writeJson(join(dir, RESULT_FILE), { ...result, finishedAt: new Date().toISOString() });
  const report = formatReport(result);
  await writeFile(join(dir, REPORT_FILE), report);
  if (terminal.json) {
    terminal.data({ folder: dir, summaries, ...(comparisons && { comparisons }) });
    return;
  }
  terminal.line();
  terminal.line(report);
  terminal.line(`Result: ${join(dir, RESULT_FILE)}`);
  terminal.line(`Report: ${join(dir, REPORT_FILE)}`);
}

async function showProfiles(terminal: Terminal, evaluations: readonly EvaluationFile[]): Promise<void> {
  const candidates = evaluations.flatMap(({ settings, records }) =>
    summarise(records).map((summary) => ({ settings, summary })),
  );
  const profiles = await writeProfiles(candidates, findUserModelsFile());
  for (const profile of profiles) {
    if (terminal.json) terminal.data({ profile: profile, file: findUserModelsFile() });
    else showProfile(terminal, profile, findUserModelsFile());
  }
}
