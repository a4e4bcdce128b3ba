/** `start`: the worker daemon, until it is stopped or drained. */
import { hostname } from 'node:os';
import { createLogger } from '../../observability/logger.ts';
import { createSecretMasker } from '../../observability/secrets.ts';
import { startWorker } from '../../worker/start-worker.ts';
import type { WorkerEnd } from '../../worker/worker.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { exitCodeOf } from '../local-session.ts';
import { loadSettings, readTokenFile, type SettingFlags } from '../settings.ts';
import { createTerminal } from '../terminal.ts';
import { stopOnSignals } from '../worker-signals.ts';

export async function startCommand(options: SettingFlags & { json?: boolean }): Promise<void> {
  const terminal = createTerminal(options.json);
  const { config } = await loadSettings(options);
  const { url, tokenFile } = config.hub;
  if (!url) {
    throw new CommandError(
      EXIT.usage,
      'config_hub_url',
      'A worker needs a hub: give --hub-url ws://HOST:PORT/ws (or SIDECAR_HUB_URL), or use `ollama-sidecar up` for a hub of its own.',
    );
  }
  const token = tokenFile ? await readTokenFile(tokenFile) : config.hub.token;
  if (!token) {
    throw new CommandError(
      EXIT.usage,
      'config_token',
      'A worker needs a token of its hub: give --token-file FILE, or SIDECAR_TOKEN in the environment.',
    );
  }
  const masker = createSecretMasker([token]);
  const logger = await createLogger({ level: config.observability.logLevel, masker });
  const agentId = config.hub.agentId ?? hostname().slice(0, 128);
  const started = await startWorker({
    config: { ...config, hub: { ...config.hub, agentId, token } },
    logger,
    masker,
  });
  if (!started.ok) {
    const { code, message } = started.failure;
    throw new CommandError(exitCodeOf(code), code, message);
  }
  const end = await stopOnSignals(started.value, terminal);
  if (end.message) terminal.note(`ollama-sidecar: ${end.message}`);
  process.exitCode = exitCodeOfEnd(end);
}

function exitCodeOfEnd({ reason }: WorkerEnd): ExitCode {
  const codes = {
    drained: EXIT.ok,
    stopped: EXIT.terminated,
    token_refused: EXIT.tokenRefused,
    hub_unreachable: EXIT.hubUnreachable,
    storage_failed: EXIT.state,
  } as const;
  return codes[reason];
}
