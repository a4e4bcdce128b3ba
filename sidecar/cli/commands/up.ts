/** `up`: runs hub and worker in one process until it is stopped; prints the next steps. */
import { hostname } from 'node:os';
import { resolveWorkerFolders } from '../../worker/folders.ts';
import type { Config } from '../../base/config/schema.ts';
import { adminTokenFileOf, formatDashboardLines, loadAdminToken } from '../admin-token.ts';
import { checkModel, type CheckedModel } from '../check-model.ts';
import { checkGit } from '../preflight.ts';
import { CommandError, type ExitCode } from '../exit-codes.ts';
import { announceHub } from '../hub-address.ts';
import { runInterruptible, type Interruption, listServerSignals } from '../interruption.ts';
import { startLocalSession, type LocalSession } from '../local-session.ts';
import { checkSandbox } from '../preflight.ts';
import { loadSettings, type CommandFlags } from '../settings.ts';
import { createTerminal, type Terminal } from '../terminal.ts';
import { exitCodeOfEnd, stopOnSignals } from '../worker-signals.ts';

export const upCommand = (options: CommandFlags): Promise<void> =>
  runInterruptible((interruption) => runHubAndWorker(options, interruption), listServerSignals());

async function runHubAndWorker(options: CommandFlags, interruption: Interruption): Promise<ExitCode> {
  const terminal = createTerminal(options.json);
  const { config, sources } = await loadSettings(options);
  const model = await findUsableModel(terminal, config);
  await checkGit();
  const warning = await checkSandbox(config);
  if (warning) terminal.note(warning);
  const { stateDir } = resolveWorkerFolders(config.worker);
  const level = sources.has('observability.logLevel') ? config.observability.logLevel : 'warn';
  const session = await startLocalSession({
    config: model ? { ...config, model: { ...config.model, default: model.name } } : config,
    logLevel: level,
    state: 'user',
    workerId: config.hub.agentId ?? hostname().slice(0, 128),
    port: config.embeddedHub.port,
    adminToken: await loadAdminToken(stateDir),
  });
  try {
    const removeAnnouncement = await announceHub(session.hubUrl, session.adminToken);
    showIntroduction(terminal, session, adminTokenFileOf(stateDir), model);
    const end = await stopOnSignals(session.worker, terminal, interruption);
    await removeAnnouncement();
    return exitCodeOfEnd(end, interruption);
  } finally {
    await session.close();
  }
}

/**
 * Returns a usable model; undefined if there is none yet, since Ollama may be started later and tasks report what is
 * missing.
 */
async function findUsableModel(terminal: Terminal, config: Config): Promise<CheckedModel | undefined> {
  try {
    return await checkModel(config);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    terminal.note(`WARNING: ${error.message}`);
    return undefined;
  }
}

function showIntroduction(
  terminal: Terminal,
  { hubUrl, adminToken }: LocalSession,
  tokenFile: string,
  model?: CheckedModel,
): void {
  if (terminal.json) {
    terminal.data({ url: hubUrl, dashboard: hubUrl, token_file: tokenFile, model: model?.name ?? null });
    return;
  }
  const { line, prose, color } = terminal;
  line(color.bold('ollama-sidecar is up'));
  for (const text of formatDashboardLines(terminal, { url: hubUrl, adminToken, tokenFile })) line(text);
  const note = model?.note ? color.dim(` (${model.note})`) : '';
  prose(`  model       ${model?.name ?? color.yellow('none yet')}${note}`, ' '.repeat(12));
  line('\n  Submit a task from another terminal:');
  prose('    ollama-sidecar submit "make the tests pass" --repo DIR --verify "npm test" --wait', '  ');
  line('    ollama-sidecar tasks');
  line(color.dim('\n  Press Ctrl-C to finish running tasks and stop, or twice to stop immediately.'));
}
