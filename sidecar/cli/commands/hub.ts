/** `hub`: the hub alone, until it is stopped. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { createLogger } from '../../observability/logger.ts';
import { createSecretMasker } from '../../observability/secrets.ts';
import { workerFolders } from '../../worker/folders.ts';
import { announceHub } from '../hub-address.ts';
import { asCommandError } from '../local-session.ts';
import { loadSettings, type SettingFlags } from '../settings.ts';
import { untilSignal } from '../signals.ts';
import { createTerminal } from '../terminal.ts';

export async function hubCommand(options: SettingFlags & { json?: boolean }): Promise<void> {
  const terminal = createTerminal(options.json);
  const { config } = await loadSettings(options);
  const { host, port, database, framesPerMinute, maxAttempts } = config.embeddedHub;
  const { stateDir } = workerFolders(config.worker);
  const file = database ?? join(stateDir, 'hub.sqlite');
  if (!file.startsWith('postgres')) await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const adminToken = await keptToken(join(stateDir, 'hub-admin.token'));
  const logger = await createLogger({
    level: config.observability.logLevel,
    masker: createSecretMasker([adminToken]),
  });
  const { startHub } = await import('../../hub/hub.ts');
  let hub;
  try {
    hub = await startHub({ host, port, database: file, framesPerMinute, maxAttempts, adminToken, logger });
  } catch (error) {
    throw asCommandError(error);
  }
  const withdraw = await announceHub(hub.url, adminToken);
  if (terminal.json)
    terminal.data({ url: hub.url, worker_url: hub.wsUrl, token_file: join(stateDir, 'hub-admin.token') });
  else {
    terminal.line(`Hub on ${terminal.color.bold(hub.url)}`);
    terminal.line(`  dashboard   ${hub.url}/#token=${adminToken}`);
    terminal.line(`  workers     ${hub.wsUrl}  (a token for one: ollama-sidecar token NAME)`);
    terminal.line(`  admin token in ${join(stateDir, 'hub-admin.token')}`);
  }
  process.exitCode = await untilSignal();
  await withdraw();
  await hub.close();
}

/** The admin's token, made at the first start and kept for this user only. */
async function keptToken(path: string): Promise<string> {
  const existing = await readFile(path, 'utf8').catch(() => '');
  if (existing.trim() !== '') return existing.trim();
  const token = `osc_admin_${randomBytes(32).toString('base64url')}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, `${token}\n`, { mode: 0o600, flag: 'w' });
  return token;
}
