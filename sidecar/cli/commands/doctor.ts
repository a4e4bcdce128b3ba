/** `doctor`: checks everything that a worker needs and prints what to do about each problem. */
import { execa } from 'execa';
import { formatSetting } from '../../base/config/load.ts';
import type { Config } from '../../base/config/schema.ts';
import { detectGroups } from '../../workspace/commands/command-group.ts';
import { detectSandbox } from '../../workspace/commands/sandbox-detect.ts';
import { isOlderVersion } from '../../base/system/version.ts';
import { measureFreeDisk, formatMebibytes } from '../../base/system/free-disk.ts';
import { checkHubUrl } from '../../base/addresses/hub-url.ts';
import { makeFolder } from '../../base/system/make-folder.ts';
import { causeOf, probeAddress } from '../../hub/client/hub-request.ts';
import { createOllamaServer } from '../../model/ollama-server.ts';
import { removeCredentials } from '../../base/addresses/credentials.ts';
import { listConfiguredServers, type ServerSettings } from '../../model/servers/server-settings.ts';
import { resolveWorkerFolders } from '../../worker/folders.ts';
import { checkModel } from '../check-model.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { measureSlots } from '../measure-slots.ts';
import {
  createOkFinding,
  createProblem,
  createWarning,
  type DoctorFinding,
  checkMcpServers,
  checkToolchains,
} from '../finding.ts';
import { loadSettings, type CommandFlags } from '../settings.ts';
import { createTerminal, type Terminal } from '../terminal.ts';
import { MODEL_ADVICE } from './models.ts';
import { adviseOnCertificate } from '../../base/values/errors.ts';
import { createTimeoutSignal } from '../../base/system/clock.ts';

const TIMEOUT_MS = 5_000;

export async function doctorCommand(options: CommandFlags): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const { config } = await loadSettings(options);
  const checks = [
    Promise.resolve(createOkFinding('node', process.version)),
    checkGit(),
    checkRipgrep(),
    checkSandbox(config),
    checkToolchains(config),
    Promise.resolve(describeLimits(config)),
    checkGpu(),
    checkDisk(config),
    checkServers(listConfiguredServers(config.ollama)),
    checkDefaultModel(config),
    checkHub(config),
  ];
  const findings = [...(await Promise.all(checks)).flat(), ...(await checkMcpServers(config))];
  if (terminal.json) terminal.data(findings);
  else showFindings(terminal, findings);
  process.exitCode = findings.some(({ status }) => status === 'problem') ? EXIT.preflight : EXIT.ok;
}

function showFindings(terminal: Terminal, findings: readonly DoctorFinding[]): void {
  const { color } = terminal;
  const marks = { ok: color.green('✓'), warning: color.yellow('!'), problem: color.red('✗') };
  const rows = findings.map(({ what, status, found }) => [marks[status], what, found]);
  terminal.table(rows);
  const findingsWithAdvice = findings.filter(({ advice }) => advice !== undefined);
  if (findingsWithAdvice.length > 0) terminal.line();
  for (const { what, status, advice } of findingsWithAdvice)
    terminal.line(`${marks[status]} ${color.bold(what)}: ${advice}`);
}

async function checkGit(): Promise<DoctorFinding> {
  const version = await readCommandOutput('git', ['--version']);
  if (version) return createOkFinding('git', version.replace('git version ', ''));
  return createProblem('git', 'not found', 'install git; the worker requires it');
}

async function checkRipgrep(): Promise<DoctorFinding> {
  const { rgPath } = await import('@vscode/ripgrep');
  const version = await readCommandOutput(rgPath, ['--version']);
  if (version) return createOkFinding('ripgrep', version.split('\n')[0] ?? '');
  return createProblem(
    'ripgrep',
    'the binary of the npm package does not run',
    'install the packages again (npm ci) for this platform',
  );
}

async function checkSandbox({ sandbox: { mode } }: Config): Promise<DoctorFinding> {
  if (mode === 'off') {
    return createWarning(
      'sandbox',
      'off by configuration: commands are not confined',
      'commands of the model run with your permissions; set sandbox.mode to auto',
    );
  }
  const detection = await detectSandbox();
  if (detection.available) return createOkFinding('sandbox', `bubblewrap (${detection.path})`);
  return (mode === 'required' ? createProblem : createWarning)(
    'sandbox',
    `commands are not confined: ${detection.reason}`,
    'install bubblewrap (apt-get install bubblewrap) and allow user namespaces; until then commands of the model run with your permissions',
  );
}

/**
 * Describes the limits on memory and processes of commands. A service may have cgroups even if this terminal has none.
 */
function describeLimits({ sandbox: { maxMemoryBytes, maxProcesses } }: Config): DoctorFinding {
  const groups = detectGroups();
  const bounds = `${formatMebibytes(maxMemoryBytes)} of memory, ${maxProcesses} processes`;
  const found = groups.available
    ? `cgroup v2: the kernel limits the commands of a task together (${bounds})`
    : `no cgroups (${groups.reason}): rlimits limit each process; the worker limits all processes of a command together (${bounds})`;
  return createOkFinding('limits', found);
}

async function checkGpu(): Promise<DoctorFinding> {
  const cards = await readCommandOutput('nvidia-smi', [
    '--query-gpu=name,memory.total',
    '--format=csv,noheader',
  ]);
  if (cards) return createOkFinding('gpu', cards.trim().replaceAll('\n', '; '));
  return createWarning(
    'gpu',
    'no NVIDIA GPU found',
    'models run on the CPU or on another GPU; use small models',
  );
}

async function checkDisk(config: Config): Promise<DoctorFinding> {
  const { stateDir } = resolveWorkerFolders(config.worker);
  try {
    makeFolder(stateDir);
    const freeBytes = await measureFreeDisk(stateDir);
    const found = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB free at ${stateDir}`;
    if (freeBytes > config.worker.minFreeDiskBytes) return createOkFinding('disk', found);
    return createProblem(
      'disk',
      found,
      'free some disk space: with less than worker.minFreeDiskBytes, the worker accepts no tasks',
    );
  } catch (error) {
    return createProblem(
      'disk',
      String(error),
      'make the state folder writable, or choose another one with SIDECAR_STATE_DIR',
    );
  }
}

/** Checks the model servers. An unreachable server is only a warning if another one answers. */
async function checkServers(configured: readonly ServerSettings[]): Promise<DoctorFinding[]> {
  const findings = await Promise.all(configured.map(checkServer));
  if (!findings.some(({ status }) => status === 'ok')) return findings;
  return findings.map((finding) =>
    finding.status === 'ok'
      ? finding
      : createWarning(
          finding.what,
          finding.found,
          `${finding.advice ?? ''}; meanwhile tasks use the other servers`,
        ),
  );
}

async function checkServer({ url, slots, models }: ServerSettings): Promise<DoctorFinding> {
  const client = createOllamaServer({ baseUrl: url });
  const version = await client.version(createTimeoutSignal(TIMEOUT_MS));
  const shownUrl = removeCredentials(url);
  if (!version.ok) {
    const found = `${shownUrl} does not answer`;
    return createProblem('ollama', found, version.failure.message);
  }
  const modelsText = models ? `, only for ${models.join(', ')}` : '';
  const measuredSlots = await measureSlots(client);
  const found = `${version.value} at ${shownUrl}, ${slots} parallel calls${modelsText}`;
  if (measuredSlots === undefined || measuredSlots === slots) return createOkFinding('ollama', found);
  const onlyText = measuredSlots < slots ? 'only ' : '';
  const setting = `set ollama.slots (or \`concurrency\` of this server in ollama.endpoints) to ${measuredSlots}`;
  return createWarning(
    'ollama',
    found,
    `the server generated ${onlyText}${measuredSlots} answers in parallel: ${setting}`,
  );
}

async function checkDefaultModel(config: Config): Promise<DoctorFinding> {
  try {
    const checked = await checkModel(config);
    const server = createOllamaServer({ baseUrl: checked.url });
    const signal = createTimeoutSignal(TIMEOUT_MS);
    const [details, version] = await Promise.all([server.show(checked.name, signal), server.version(signal)]);
    const requiredVersion = details.ok ? details.value.requiredVersion : undefined;
    if (requiredVersion !== undefined && version.ok && isOlderVersion(version.value, requiredVersion)) {
      const text = `${checked.name} requires Ollama ${requiredVersion}; ${removeCredentials(checked.url)} runs ${version.value}`;
      return createProblem(
        'model',
        text,
        'update Ollama on this server (https://ollama.com/download), or use another model',
      );
    }
    const trainedTokens = details.ok ? details.value.contextLength : undefined;
    const windowTokens = Math.min(
      config.ollama.maxContextTokens,
      trainedTokens ?? config.ollama.maxContextTokens,
    );
    const tools =
      details.ok && details.value.capabilities.includes('tools') ? 'native tools' : 'structured tool calls';
    const text = `${checked.name}, context window of ${windowTokens} tokens, ${tools}`;
    return checked.note ? createWarning('model', text, checked.note) : createOkFinding('model', text);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return createProblem('model', 'none', adviceOnModel(error));
  }
}

/** Returns the advice for an unusable model. If no server answers, the findings about the servers explain why. */
function adviceOnModel({ code, message }: CommandError): string {
  if (code === 'model_unreachable') return `once Ollama answers, ${MODEL_ADVICE}`;
  return code === 'model_not_found' ? `${message}. ${MODEL_ADVICE}` : message;
}

async function checkHub({ hub: { url, allowInsecure } }: Config): Promise<DoctorFinding> {
  if (!url) return createOkFinding('hub', 'none configured (`up` and `run` start their own)');
  const checked = checkHubUrl(url, allowInsecure);
  if (!checked.ok) {
    const found = `${formatSetting(url)} cannot be used`;
    return createProblem('hub', found, checked.failure.message);
  }
  const httpUrl = url.replace(/^ws/u, 'http');
  try {
    await probeAddress(new URL(httpUrl), createTimeoutSignal(TIMEOUT_MS));
    return createOkFinding('hub', `${url} answers`);
  } catch (error) {
    const cause = causeOf(error);
    const advice =
      adviseOnCertificate(cause) ?? 'start the hub, or check hub.url, the network and HTTPS_PROXY';
    return createProblem('hub', `${url} does not answer (${cause})`, advice);
  }
}

async function readCommandOutput(command: string, args: string[]): Promise<string | undefined> {
  try {
    return (await execa(command, args, { timeout: TIMEOUT_MS, stdin: 'ignore' })).stdout.trim();
  } catch {
    return undefined;
  }
}
