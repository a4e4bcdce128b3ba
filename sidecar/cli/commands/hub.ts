/** `hub`: runs a hub alone until it is stopped. */
import { dirname, join } from 'node:path';
import type { Hub, HubOptions } from '../../hub/hub.ts';
import { isPostgresAddress } from '../../base/addresses/is-postgres-address.ts';
import { makeFolder } from '../../base/system/make-folder.ts';
import { createLogger } from '../../base/observability/logger.ts';
import { createSecretMasker } from '../../base/observability/secrets.ts';
import { resolveWorkerFolders } from '../../worker/folders.ts';
import { adminTokenFileOf, formatDashboardLines, loadAdminToken } from '../admin-token.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { announceHub } from '../hub-address.ts';
import {
  waitForAbort,
  runInterruptible,
  type Interruption,
  listServerSignals,
  logUnexpectedErrors,
} from '../interruption.ts';
import { toCommandError } from '../local-session.ts';
import { loadSettings, readWebhooks, type CommandFlags } from '../settings.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

export const hubCommand = (options: CommandFlags): Promise<void> =>
  runInterruptible((interruption) => runHub(options, interruption), listServerSignals());

async function runHub(options: CommandFlags, interruption: Interruption): Promise<ExitCode> {
  const terminal = createTerminal(options.json);
  const { config } = await loadSettings(options);
  const { host, port, database, maxAttempts, dailyBudgets } = config.embeddedHub;
  const { stateDir } = resolveWorkerFolders(config.worker);
  const adminToken = await loadAdminToken(stateDir);
  const masker = createSecretMasker([adminToken, database]);
  const logger = await createLogger({ level: config.observability.logLevel, masker });
  logUnexpectedErrors(logger);
  const file = database ?? join(stateDir, 'hub.sqlite');
  const hub = await startHub({
    host,
    port,
    database: file,
    maxAttempts,
    dailyBudgets,
    webhooks: await readWebhooks(config.embeddedHub),
    retention: config.retention,
    adminToken,
    logger,
  });
  try {
    const removeAnnouncement = await announceHub(hub.url, adminToken);
    showAddresses(terminal, hub, adminTokenFileOf(stateDir));
    await waitForAbort(interruption.firstSignal);
    await removeAnnouncement();
    return EXIT.ok;
  } finally {
    await hub.close();
  }
}

async function startHub(options: HubOptions & { database: string }): Promise<Hub> {
  const { database } = options;
  try {
    if (!isPostgresAddress(database)) makeFolder(dirname(database));
    const { startHub: start } = await import('../../hub/hub.ts');
    return await start(options);
  } catch (error) {
    throw toCommandError(error, database);
  }
}

function showAddresses(terminal: Terminal, hub: Hub, tokenFile: string): void {
  if (terminal.json) {
    terminal.data({ url: hub.url, worker_url: hub.wsUrl, token_file: tokenFile });
    return;
  }
  const { line, color } = terminal;
  line(`Hub on ${color.bold(hub.url)}`);
  for (const text of formatDashboardLines(terminal, {
    url: hub.url,
    adminToken: hub.tokens.admin,
    tokenFile,
  }))
    line(text);
  line(`  workers     ${hub.wsUrl}  (create a token: ollama-sidecar token NAME)`);
  if (terminal.interactive) line(`  admin token in ${tokenFile}`);
  line(color.dim('\n  Press Ctrl-C to stop the hub. The queue remains stored.'));
}
