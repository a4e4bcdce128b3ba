/** `start`: runs the worker daemon until it is stopped or drained. */
import { hostname } from 'node:os';
import { formatSetting } from '../../base/config/load.ts';
import type { Config } from '../../base/config/schema.ts';
import { checkHubUrl } from '../../base/addresses/hub-url.ts';
import { createLogger } from '../../base/observability/logger.ts';
import { createSecretMasker } from '../../base/observability/secrets.ts';
import { checkTemporaryFolder } from '../preflight.ts';
import { checkGit } from '../preflight.ts';
import { createUsageError, createWorkerError, type ExitCode } from '../exit-codes.ts';
import {
  runInterruptible,
  type Interruption,
  listServerSignals,
  logUnexpectedErrors,
} from '../interruption.ts';
import { onAbort } from '../../base/system/on-abort.ts';
import { loadSettings, readTokenFile, type CommandFlags } from '../settings.ts';
import { createTerminal } from '../terminal.ts';
import { exitCodeOfEnd, stopOnSignals } from '../worker-signals.ts';

export const startCommand = (options: CommandFlags): Promise<void> =>
  runInterruptible((interruption) => runWorker(options, interruption), listServerSignals());

async function runWorker(options: CommandFlags, interruption: Interruption): Promise<ExitCode> {
  const terminal = createTerminal(options.json);
  const { config } = await loadSettings(options);
  checkUrl(config);
  const token = await readWorkerToken(config);
  await checkGit();
  checkTemporaryFolder();
  const masker = createSecretMasker([token]);
  const logger = await createLogger({ level: config.observability.logLevel, masker });
  logUnexpectedErrors(logger);
  const agentId = config.hub.agentId ?? hostname().slice(0, 128);
  const { startWorker } = await import('../../worker/start-worker.ts');
  // No task runs before the first connection, so a signal may exit at once.
  const unlisten = onAbort(interruption.firstSignal, () => process.exit(interruption.exitCode));
  const outcome = await startWorker({
    config: { ...config, hub: { ...config.hub, agentId, token } },
    logger,
    masker,
  });
  unlisten();
  if (!outcome.ok) throw createWorkerError(outcome.failure.code, outcome.failure.message);
  const end = await stopOnSignals(outcome.value, terminal, interruption);
  if (end.message) terminal.note(`ollama-sidecar: ${end.message}`);
  return exitCodeOfEnd(end, interruption);
}

function checkUrl({ hub: { url, allowInsecure } }: Config): void {
  if (!url) {
    throw createUsageError(
      'config_hub_url',
      'No hub is configured. Use --hub-url ws://HOST:PORT/ws or SIDECAR_HUB_URL, or run `ollama-sidecar up`, which starts its own hub.',
    );
  }
  const checked = checkHubUrl(url, allowInsecure);
  if (!checked.ok) {
    const { code, message } = checked.failure;
    throw createUsageError(code, `hub.url is ${formatSetting(url)}: ${message}`);
  }
}

async function readWorkerToken({ hub: { token, tokenFile } }: Config): Promise<string> {
  const configuredToken = tokenFile ? await readTokenFile(tokenFile) : token;
  if (configuredToken) return configuredToken;
  throw createUsageError(
    'config_token',
    'No token is configured. Use --token-file FILE or SIDECAR_TOKEN. `ollama-sidecar token NAME` creates a token of the embedded hub.',
  );
}
