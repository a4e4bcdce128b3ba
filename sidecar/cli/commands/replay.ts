/**
 * `dev replay`: runs a past task again with the answers that its model and its users gave, by the engine that resumes a
 * task. Hub, worker, worktree, tools and checks are real, so it shows the effect of a change of the program or of the
 * repository.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { configSchema, type Config } from '../../base/config/schema.ts';
import { readInput, type RecordedInput } from '../../solving/session/recorded-input.ts';
import { createReplayServer } from '../../solving/session/recorded-models.ts';
import { readRequests } from '../../solving/session/request-log.ts';
import { REQUEST_LOG } from '../../solving/session/session.ts';
import type { SessionInfo } from '../../solving/session/session-info.ts';
import { isRecord } from '../../base/values/json.ts';
import { resolveWorkerFolders } from '../../worker/folders.ts';
import { checkRepository } from '../preflight.ts';
import { createUsageError, type ExitCode } from '../exit-codes.ts';
import { findSession } from '../past-tasks.ts';
import { followTask } from '../follow-task.ts';
import { runInterruptible, type Interruption } from '../interruption.ts';
import { startLocalSession } from '../local-session.ts';
import { loadSettings, type CommandFlags } from '../settings.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

export interface ReplayOptions extends CommandFlags {
  diff?: boolean;
}

export const replayCommand = (named: string, options: ReplayOptions): Promise<void> =>
  runInterruptible((interruption) => replay(named, options, interruption));

async function replay(
  taskName: string,
  options: ReplayOptions,
  interruption: Interruption,
): Promise<ExitCode> {
  const terminal = createTerminal(options.json, 'data');
  const { config } = await loadSettings(options);
  const { sessionsDir } = resolveWorkerFolders(config.worker);
  const info = await findSession(config, taskName);
  const folder = join(sessionsDir, info.id);
  const recordedInput = await readInput(folder);
  const payload = submissionOf(info, recordedInput);
  const repo = typeof payload.repo === 'string' ? payload.repo : undefined;
  if (repo !== undefined) await checkRepository(repo, config.workspace.allowedRepos);
  const answers = recordedInput.filter(({ kind }) => kind === 'answer').length;
  terminal.note(
    `Replaying ${info.id}: ${answers} recorded answer${answers === 1 ? '' : 's'}, no model is used`,
  );
  const models = createReplayServer(await readRequests(join(folder, REQUEST_LOG)));
  const session = await startLocalSession({
    config: applyRecordedSettings(config, info),
    logLevel: 'error',
    state: 'temporary',
    workerId: `replay-${hostname()}`.slice(0, 128),
    createServer: () => models,
    recorded: recordedInput,
  });
  try {
    if (interruption.exitCode !== undefined) return interruption.exitCode;
    const { client, workerLost } = session;
    const { task_id: taskId } = await client.submit(payload);
    const { diff } = options;
    const code = await followTask({ terminal, client, taskId, interruption, workerLost, diff });
    const { status } = await client.task(taskId);
    showComparison(terminal, info, status);
    return code;
  } finally {
    await session.close();
  }
}

/** Returns the submission that repeats a past task from its original commit. Throws `CommandError`. */
function submissionOf(info: SessionInfo, recorded: readonly RecordedInput[]): Record<string, unknown> {
  if (!info.task || !recorded.some(({ kind }) => kind === 'answer')) {
    throw createUsageError(
      'session_not_replayable',
      `The session ${info.id} contains no ${info.task ? 'answers of a model; they are recorded when a task ends' : 'task'}. Replay another session.`,
    );
  }
  const { task_id: _id, generation: _generation, assigned_at: _at, ...content } = info.task;
  return {
    ...content,
    ...(info.base_commit === undefined ? {} : { base_ref: info.base_commit }),
    max_attempts: 1,
  };
}

/** Returns the configuration with the recorded settings that affect solving; folders, sandbox and hub are this machine's. */
function applyRecordedSettings(config: Config, { settings = {}, model }: SessionInfo): Config {
  const readSection = (section: string) => (isRecord(settings[section]) ? settings[section] : {});
  const merged = Object.fromEntries(
    Object.entries(config).map(([section, values]) => [section, { ...values, ...readSection(section) }]),
  );
  const parsed = configSchema.safeParse(merged);
  const effective = parsed.success ? parsed.data : config;
  return {
    ...effective,
    model: { ...effective.model, default: model || effective.model.default },
    // No model is used, so no traces are sent.
    observability: { ...effective.observability, otlpEndpoint: undefined },
  };
}

function showComparison(terminal: Terminal, info: SessionInfo, status: string): void {
  const newStatus = status === 'dead_letter' ? 'failed' : status;
  const comparison = newStatus === info.status ? 'as recorded' : `but the recorded status is ${info.status}`;
  terminal.note(`The replay ended with status ${newStatus}, ${comparison}`);
}
