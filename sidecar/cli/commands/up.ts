/** `up`: hub and worker in one process until it is stopped; says what to do next. */
import { hostname } from 'node:os';
import { createLogger } from '../../observability/logger.ts';
import { createSecretMasker } from '../../observability/secrets.ts';
import { checkModel } from '../check-model.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { announceHub } from '../hub-address.ts';
import { startLocalSession } from '../local-session.ts';
import { loadSettings, type SettingFlags } from '../settings.ts';
import { createTerminal } from '../terminal.ts';
import { stopOnSignals } from '../worker-signals.ts';

export async function upCommand(options: SettingFlags & { json?: boolean }): Promise<void> {
  const terminal = createTerminal(options.json);
  const { config, sources } = await loadSettings(options);
  const level = sources.has('observability.logLevel') ? config.observability.logLevel : 'warn';
  const logger = await createLogger({ level, masker: createSecretMasker() });
  const model = await checkModel(config).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    // Ollama may come later: tasks say then what is missing.
    terminal.note(`WARNING: ${error.message}`);
    return undefined;
  });
  const session = await startLocalSession({
    config: model ? { ...config, model: { ...config.model, default: model.name } } : config,
    logger,
    state: 'kept',
    agentId: config.hub.agentId ?? hostname().slice(0, 128),
    port: config.embeddedHub.port,
  });
  const withdraw = await announceHub(session.hubUrl, session.adminToken);
  const dashboard = `${session.hubUrl}/#token=${session.adminToken}`;
  if (terminal.json) terminal.data({ url: session.hubUrl, dashboard, model: model?.name ?? null });
  else {
    const { line, color } = terminal;
    line(color.bold('ollama-sidecar is up'));
    line(`  dashboard   ${color.cyan(dashboard)}`);
    line(
      `  model       ${model?.name ?? color.yellow('none yet')}${model?.note ? color.dim(` (${model.note})`) : ''}`,
    );
    line('\n  Give it work from another terminal:');
    line('    ollama-sidecar submit "make the tests pass" --repo DIR --verify "npm test" --wait');
    line('    ollama-sidecar tasks');
    line(color.dim('\n  Ctrl-C finishes what runs and stops; twice stops at once.'));
  }
  const end = await stopOnSignals(session.worker, terminal);
  await withdraw();
  await session.close();
  process.exitCode = end.reason === 'storage_failed' ? EXIT.state : EXIT.ok;
}
