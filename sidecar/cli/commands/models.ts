/** `models`: lists installed models, recommends models that fit this machine, downloads one. */
import { createOllamaServer } from '../../model/ollama-server.ts';
import { isSameModel } from '../../model/choose-model.ts';
import { formatGibibytes } from '../../model/memory-advice.ts';
import { detectServerMachine } from '../../model/server-machine.ts';
import { listConfiguredServers } from '../../model/servers/server-settings.ts';
import { parameterBillionsOf } from '../../model/profile-match.ts';
import { estimateFileBytes, type Fit, fitOf, recommendModels } from '../../model/recommend.ts';
import { normalizeOllamaUrl } from '../../base/addresses/ollama-url.ts';
import { measureMachineMemory, type MachineMemory } from '../../base/system/machine-memory.ts';
import { EXIT, type ExitCode, createPreflightError } from '../exit-codes.ts';
import { listInstalledModels, type InstalledModelView } from '../installed-models.ts';
import { runInterruptible, type Interruption } from '../interruption.ts';
import { type CommandFlags, loadSettings } from '../settings.ts';
import { createTerminal, type Terminal } from '../terminal.ts';
import { toPrintable } from '../../base/values/printable.ts';
import { createTimeoutSignal } from '../../base/system/clock.ts';

const FIT_TEXTS: Record<Fit, string> = {
  card: 'on the GPU',
  split: 'partly on the GPU',
  memory: 'in memory',
  'too large': 'too large',
};

export async function modelsCommand(options: CommandFlags): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const { config } = await loadSettings(options);
  const models = await listInstalledModels(config);
  if (terminal.json) terminal.data(models);
  else if (models.length === 0) terminal.prose(`No model is installed. ${MODEL_ADVICE}`);
  else {
    showModels(terminal, models);
    warnWithoutDefault(terminal, models);
  }
}

/** Advice if no model can be used. */
export const MODEL_ADVICE =
  '`ollama-sidecar models recommend` lists models that fit this machine, `ollama-sidecar models pull NAME` downloads one.';

function showModels(terminal: Terminal, models: readonly InstalledModelView[]): void {
  const rows = models.map((model) => [
    toPrintable(model.name),
    formatGibibytes(model.sizeBytes),
    model.fit ? FIT_TEXTS[model.fit] : 'server on another machine',
    ...(model.canChat ? formatProfileCells(model) : ['cannot chat', '', '', '']),
  ]);
  terminal.table(rows, ['MODEL', 'SIZE', 'FITS', 'PROFILE', 'WINDOW', 'SOLVED', 'TASKS']);
}

/** Warns if no installed model would be chosen by default. */
function warnWithoutDefault(terminal: Terminal, models: readonly InstalledModelView[]): void {
  if (models.every(({ taskTypes }) => taskTypes.length === 0)) {
    terminal.line();
    terminal.prose(`Tasks that name no model cannot run: model.default is not installed. ${MODEL_ADVICE}`);
  }
}

function formatProfileCells(model: InstalledModelView): string[] {
  const { family, toolMode, think, solving, windowTokens, measured, taskTypes } = model;
  const drafts = solving.strategy === 'loop' ? 'loop' : `${solving.drafts} drafts`;
  const thinkText = think === false ? '' : `, thinks${think === true ? '' : ` (${think})`}`;
  return [
    `${family ?? 'unknown family'}: ${toolMode}, ${drafts}${thinkText}`,
    String(windowTokens),
    measured ? `${Math.round(measured.solved * 100)} % of ${measured.runs}` : '–',
    taskTypes.join(', ') || '–',
  ];
}

export async function recommendCommand(options: CommandFlags): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const { config } = await loadSettings(options);
  const serverMemory = await detectServerMachine(listConfiguredServers(config.ollama));
  const memory = serverMemory ?? (await measureMachineMemory());
  const server = createOllamaServer({ baseUrl: normalizeOllamaUrl(config.ollama.url) });
  const installedList = await server.list(createTimeoutSignal(5_000));
  const installed = installedList.ok ? installedList.value.map(({ name }) => name) : [];
  const models = recommendModels(memory).map((model) => ({
    ...model,
    installed: installed.some((name) => isSameModel(name, model.name)),
  }));
  if (terminal.json) terminal.data({ memory, models });
  else showRecommended(terminal, memory, models);
  if (!serverMemory) {
    const { host } = new URL(normalizeOllamaUrl(config.ollama.url));
    terminal.note(`WARNING: the model server is on ${host}; these recommendations are for this machine.`);
  }
  if (models.length === 0) process.exitCode = EXIT.preflight;
}

type RecommendedModel = ReturnType<typeof recommendModels>[number] & { installed: boolean };

function showRecommended(
  terminal: Terminal,
  { cardBytes, memoryBytes, cores }: MachineMemory,
  models: readonly RecommendedModel[],
): void {
  const card = cardBytes === undefined ? 'no GPU found' : `${formatGibibytes(cardBytes)} of GPU memory`;
  terminal.line(`This machine: ${card}, ${cores} cores, ${formatGibibytes(memoryBytes)} of memory.`);
  terminal.line();
  const [best] = models;
  if (!best) {
    terminal.prose(
      'No recommended model fits this machine. Use a model server on another machine (ollama.url).',
    );
    return;
  }
  const rows = models.map(({ name, sizeBytes, fit, about, installed }) => [
    name,
    `about ${formatGibibytes(sizeBytes)}`,
    FIT_TEXTS[fit],
    installed ? 'installed' : '',
    about,
  ]);
  terminal.table(rows);
  terminal.line();
  const missingModel = models.find(({ installed }) => !installed);
  if (missingModel) terminal.line(`  ollama-sidecar models pull ${missingModel.name}`);
  const small = models.at(-1);
  if (small && small !== best)
    terminal.line(`  ollama-sidecar run "…" --verify "…" --attempts 4 --ladder ${small.name},${best.name}`);
}

export const pullCommand = (name: string, options: CommandFlags): Promise<void> =>
  runInterruptible((interruption) => pullModel(name, options, interruption));

async function pullModel(name: string, options: CommandFlags, interruption: Interruption): Promise<ExitCode> {
  const terminal = createTerminal(options.json, 'data');
  const { config } = await loadSettings(options);
  const memory = await detectServerMachine(listConfiguredServers(config.ollama));
  const billions = parameterBillionsOf(name);
  if (memory && billions !== undefined && fitOf(estimateFileBytes(billions), memory) === 'too large') {
    const size = formatGibibytes(estimateFileBytes(billions));
    terminal.note(`WARNING: ${toPrintable(name)} (about ${size}) is too large for this machine's memory.`);
  }
  const server = createOllamaServer({ baseUrl: normalizeOllamaUrl(config.ollama.url) });
  const bar = drawBar(`Pulling ${toPrintable(name)}`);
  const outcome = await server.pull(name, { signal: interruption.firstSignal, onPercent: bar.show });
  bar.end();
  if (interruption.exitCode !== undefined) {
    terminal.note('Stopped. Run the same command to resume.');
    return interruption.exitCode;
  }
  if (!outcome.ok) {
    const message = `Could not pull ${toPrintable(name)}: ${outcome.failure.message}`;
    throw createPreflightError(outcome.failure.code, message);
  }
  const models = await listInstalledModels(config);
  const model = models.find((view) => isSameModel(view.name, name));
  if (terminal.json) terminal.data(model ?? { name });
  else if (model) {
    showModels(terminal, [model]);
    warnWithoutDefault(terminal, models);
  }
  return EXIT.ok;
}

/** Width of the progress bar, in characters. */
const BAR_CHARS = 30;
/** Step of progress, in percent, after which a line is printed if there is no terminal to redraw the bar on. */
const STEP_PERCENT = 25;

interface ProgressBar {
  show: (percent: number) => void;
  /** Ends the bar's line; call before any other output. */
  end: () => void;
}

function drawBar(title: string): ProgressBar {
  const inPlace = process.stderr.isTTY;
  let shownPercent = 0;
  let isDrawn = false;
  return {
    show: (percent) => {
      if (inPlace) {
        isDrawn = true;
        process.stderr.write(`\r${formatBar(title, percent)}`);
      } else if (percent >= shownPercent + STEP_PERCENT) {
        shownPercent = percent - (percent % STEP_PERCENT);
        process.stderr.write(`${title}: ${shownPercent} %\n`);
      }
    },
    end: () => {
      if (isDrawn) process.stderr.write('\n');
    },
  };
}

/** Formats the bar: `Pulling m  [#####·····]  50 %`. */
export function formatBar(title: string, percent: number): string {
  const filled = Math.round((Math.min(100, Math.max(0, percent)) / 100) * BAR_CHARS);
  return `${title}  [${'#'.repeat(filled)}${'·'.repeat(BAR_CHARS - filled)}] ${String(percent).padStart(3)} %`;
}
