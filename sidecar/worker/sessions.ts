/**
 * The worker's session folders: one for each task, kept within the configured age and
 * size.
 */
import type { Config } from '../config/schema.ts';
import type { SecretMasker } from '../observability/secrets.ts';
import type { Clock, Logger, RunSession, TaskJournal } from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import { openRunSession } from '../session/run-session.ts';
import { listSessions, pruneSessions } from '../session/session-store.ts';

export interface WorkerSessionsOptions {
  config: Config;
  sessionsDir: string;
  journal: (task: Task) => TaskJournal;
  masker: SecretMasker;
  clock: Clock;
  logger: Logger;
}

/** Opens a task's session, or the one that it had before a crash. */
export function sessionOpener({
  config,
  sessionsDir,
  journal,
  masker,
  clock,
  logger,
}: WorkerSessionsOptions): (task: Task) => Promise<RunSession | undefined> {
  const settings = settingsForReplay(config);
  return (task) =>
    openRunSession({ sessionsDir, task, journal: journal(task), settings, clock, mask: masker, logger });
}

/** What of the configuration decides how a task goes; nothing that names machines, folders or secrets. */
function settingsForReplay({ model, limits, routing, workflow, approval, tools, ollama }: Config): object & {
  [key: string]: unknown;
} {
  return {
    model: { toolMode: model.toolMode },
    limits,
    routing,
    workflow,
    approval,
    tools: { outputLimits: tools.outputLimits, lineLimits: tools.lineLimits },
    ollama: { maxContextTokens: ollama.maxContextTokens, streamAgentic: ollama.streamAgentic },
  };
}

const DAY_MS = 86_400_000;

/**
 * Removes what is too old or too much. Sessions that may be written now, by this or another worker, stay. Never
 * rejects: a folder that cannot be cleaned keeps no worker from its tasks.
 */
export async function retainSessions(
  sessionsDir: string,
  {
    sessionDays,
    sessionCount,
    sessionBytes,
  }: Pick<Config['retention'], 'sessionDays' | 'sessionCount' | 'sessionBytes'>,
  { clock, logger }: { clock: Pick<Clock, 'now'>; logger: Logger },
): Promise<void> {
  const nowMs = clock.now();
  try {
    const running = (await listSessions(sessionsDir)).filter(
      ({ status, start }) => status === 'running' && nowMs - Date.parse(start) < DAY_MS,
    );
    const active = new Set(running.map(({ id }) => id));
    const removed = await pruneSessions(sessionsDir, {
      maxAgeMs: sessionDays * DAY_MS,
      maxCount: sessionCount,
      maxBytes: sessionBytes,
      nowMs,
      active,
    });
    if (removed.length > 0) logger.info({ sessions: removed.length }, 'Removed old sessions');
  } catch (error) {
    logger.warn({ err: error, dir: sessionsDir }, 'Old sessions could not be removed');
  }
}
