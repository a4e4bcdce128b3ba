/** `run`: one task from the terminal through hub, socket and worker, with a state folder of its own. */
import { hostname } from 'node:os';
import { createLogger } from '../../observability/logger.ts';
import { createSecretMasker } from '../../observability/secrets.ts';
import { checkModel } from '../check-model.ts';
import { followTask } from '../follow-task.ts';
import { startLocalSession } from '../local-session.ts';
import { loadSettings, type SettingFlags } from '../settings.ts';
import { submission, type TaskOptions } from '../task-options.ts';
import { createTerminal } from '../terminal.ts';

export interface RunOptions extends TaskOptions, SettingFlags {
  json?: boolean;
  diff?: boolean;
}

export async function runCommand(task: string, options: RunOptions): Promise<void> {
  const terminal = createTerminal(options.json);
  const { config, sources } = await loadSettings(options);
  const logLevel = sources.has('observability.logLevel') ? config.observability.logLevel : 'error';
  const logger = await createLogger({ level: logLevel, masker: createSecretMasker() });
  const payload = submission(task, options);
  const model = await checkModel(config, options.model);
  if (model.note) terminal.note(model.note);
  const session = await startLocalSession({
    config: { ...config, model: { ...config.model, default: model.name } },
    logger,
    state: 'temporary',
    agentId: `run-${hostname()}`.slice(0, 128),
  });
  try {
    const submitted = await session.client.submit({ ...payload, max_attempts: 1 });
    process.exitCode = await followTask({
      terminal,
      client: session.client,
      taskId: submitted.task_id,
      repo: typeof payload.repo === 'string' ? payload.repo : undefined,
      cancelOnInterrupt: true,
      diff: options.diff,
    });
  } finally {
    await session.close();
  }
}
