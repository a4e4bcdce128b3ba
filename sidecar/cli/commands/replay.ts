/**
 * `dev replay`: runs a past task again with the recorded answers of its model. Hub, worker, worktree, tools and checks
 * are real, so it shows the effect of a change of the program or of the repository.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { configSchema, type Config } from '../../config/schema.ts';
import { replayServer } from '../../session/replay-server.ts';
import { readRequests, type RecordedExchange } from '../../session/request-log.ts';
import { REQUEST_LOG } from '../../session/session.ts';
import type { SessionInfo } from '../../session/session-info.ts';
import { isRecord } from '../../values/json.ts';
import { workerFolders } from '../../worker/folders.ts';
import { checkRepository } from '../check-repository.ts';
import { usageError, type ExitCode } from '../exit-codes.ts';
import { findSession } from '../past-tasks.ts';
import { followTask } from '../follow-task.ts';
import { interruptible, type Interruption } from '../interruption.ts';
import { startLocalSession } from '../local-session.ts';
import { loadSettings, type CommandFlags } from '../settings.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

export interface ReplayOptions extends CommandFlags {
  diff?: boolean;
}

export const replayCommand = (named: string, options: ReplayOptions): Promise<void> =>
  interruptible((interruption) => replay(named, options, interruption));

async function replay(named: string, options: ReplayOptions, interruption: Interruption): Promise<ExitCode> {
  const terminal = createTerminal(options.json, 'data');
  const { config } = await loadSettings(options);
  const { sessionsDir } = workerFolders(config.worker);
  const info = await findSession(config, named);
  const recorded = await readRequests(join(sessionsDir, info.id, REQUEST_LOG));
  const payload = submissionOf(info, recorded);
  const repo = typeof payload.repo === 'string' ? payload.repo : undefined;
  if (repo !== undefined) await checkRepository(repo, config.workspace.allowedRepos);
  const requests = `${recorded.length} recorded request${recorded.length === 1 ? '' : 's'}`;
  terminal.note(`Replaying ${info.id}: ${requests}, no model is used`);
  let divergence: number | undefined;
  const server = replayServer(recorded, { onDivergence: (request) => (divergence = request) });
  const session = await startLocalSession({
    config: withRecordedSettings(config, info),
    logLevel: 'error',
    state: 'temporary',
    agentId: `replay-${hostname()}`.slice(0, 128),
    createServer: () => server,
  });
  try {
    if (interruption.code !== undefined) return interruption.code;
    const { client, lost } = session;
    const { task_id: taskId } = await client.submit(payload);
    const { diff } = options;
    const code = await followTask({ terminal, client, taskId, interruption, lost, diff });
    const { status } = await client.task(taskId);
    compare(terminal, info, { status, divergence });
    return code;
  } finally {
    await session.close();
  }
}

/** Returns the task as a submission that starts from its original commit. Throws `CommandError`. */
function submissionOf(info: SessionInfo, recorded: readonly RecordedExchange[]): Record<string, unknown> {
  if (!info.task || recorded.length === 0) {
    throw usageError(
      'session_not_replayable',
      `The session ${info.id} holds no ${info.task ? 'answers of a model' : 'task'}; it cannot be replayed.`,
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
function withRecordedSettings(config: Config, { settings = {}, model }: SessionInfo): Config {
  const recorded = (section: string) => (isRecord(settings[section]) ? settings[section] : {});
  const merged = Object.fromEntries(
    Object.entries(config).map(([section, values]) => [section, { ...values, ...recorded(section) }]),
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

function compare(
  terminal: Terminal,
  info: SessionInfo,
  { status, divergence }: { status: string; divergence: number | undefined },
): void {
  const now = status === 'dead_letter' ? 'failed' : status;
  const same = now === info.status ? 'as before' : `before it was ${info.status}`;
  terminal.note(`Ended ${now}, ${same}`);
  if (divergence !== undefined) {
    terminal.note(`From request ${divergence} on the conversation differed from the recorded one`);
  }
}
