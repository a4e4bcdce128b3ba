/**
 * Runs the commands of a workspace: deny list, shell with limits, sandbox, spawn port, watchers, and the removal of leftover processes.
 * Whether a sandbox is used is decided once, at the start.
 */
import { release } from 'node:os';
import { lstatSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';
import { measureFreeDiskSync } from '../../base/system/free-disk.ts';
import { measureUsableMemory } from '../../base/system/machine-memory.ts';
import { errorCode } from '../../base/values/errors.ts';
import { NO_NETWORK, formatNotFoundNote } from '../../base/values/sandbox-note.ts';
import type { ExecOptions, ExecResult, Logger, ProgramOptions, RunningProgram } from '../../base/ports.ts';
import { type CommandGroup, createGroup, prepareGroupsOnce } from './command-group.ts';
import type { CommandProcess } from './command-process.ts';
import { type CommandLine, findShell, type ProcessLimits } from './command-shell.ts';
import { createCommandStarter, type CommandStarter, type StartRequest } from './command-starter.ts';
import { buildCommandVariables, buildMounts, listOperatorHomes, type ViewOptions } from './command-view.ts';
import { describeMemoryExcess, type WatchLimits } from './command-watch.ts';
import { findDenialReason } from './deny-list.ts';
import { isRoot } from './host-paths.ts';
import { type Layers, NO_LAYERS, openLayers } from './overlay-layers.ts';
import { EnvironmentError } from '../files/environment-error.ts';
import { NOT_STARTED_EXIT_CODES, describeHiddenPrograms } from './missing-programs.ts';
import { killMarkedProcesses } from './marked-processes.ts';
import { detectSandbox, type SandboxSupport } from './sandbox-detect.ts';
import type { SandboxMount } from './sandbox.ts';
import { makeScratch, type ScratchFolders } from './scratch-folders.ts';
import { runCommand, type RunOptions } from './run-command.ts';

export interface CommandRunnerOptions extends ViewOptions {
  /** `auto` (default): use the sandbox if it works; `required`: refuse to start without it; `off`: do not use it. */
  sandbox?: 'auto' | 'required' | 'off';
  /** Whether all commands use the host's network, as the operator decides. Default: no network. */
  network?: boolean;
  limits?: CommandLimits;
  logger?: Logger;
  mark: string;
}

export interface CommandLimits extends ProcessLimits {
  /** Maximum size of the workspace and the task's /tmp together. */
  maxDiskBytes?: number;
  /** Minimum number of free bytes on the workspace's disk. A command is stopped if fewer are free. */
  minFreeDiskBytes?: number;
  /** Maximum number of retained output bytes of a command. */
  maxOutputBytes?: number;
}

const DEFAULT_LIMITS: Required<Omit<CommandLimits, 'maxOutputBytes'>> = {
  maxMemoryBytes: 8 * 1024 ** 3,
  maxFileBytes: 4 * 1024 ** 3,
  maxDiskBytes: 20 * 1024 ** 3,
  maxCpuSeconds: 600,
  maxProcesses: 512,
  minFreeDiskBytes: 128 * 1024 ** 2,
};
/** Default time limit. The shell tool sets a shorter one. */
const DEFAULT_TIMEOUT_MS = 600_000;
/** Retained bytes of each output of an interactive program; the end of stderr often explains why a program failed. */
const MAX_PROGRAM_OUTPUT_BYTES = 16 * 1024;
const MAX_SANDBOX_ATTEMPTS = 3;
/** Number of additional processes of each command: bubblewrap, and the shell that starts it. */
const SANDBOX_PROCESS_COUNT = 4;

/** Runs the commands of one environment. `run` rejects only with `EnvironmentError`. */
export class CommandRunner {
  readonly #options: CommandRunnerOptions;
  readonly #sandbox: SandboxSupport;
  readonly #scratch: ScratchFolders;
  readonly #layers: Layers;
  readonly #mounts: readonly SandboxMount[];
  readonly #limits: typeof DEFAULT_LIMITS & CommandLimits;
  /**
   * Memory limit of all processes of the commands together. The worker, the model server and other tasks need the rest of the machine's
   * memory.
   */
  readonly #maxMemoryBytes: number;
  readonly #group: CommandGroup | undefined;
  readonly #watchLimits: WatchLimits;
  readonly #startProcess: CommandStarter;
  readonly #closing = new AbortController();
  readonly #runningCommands = new Set<Promise<unknown>>();
  #runCount = 0;

  private constructor(
    options: CommandRunnerOptions,
    sandbox: SandboxSupport,
    scratch: ScratchFolders,
    layers: Layers,
    mounts: SandboxMount[],
  ) {
    this.#options = options;
    this.#sandbox = sandbox;
    this.#scratch = scratch;
    this.#layers = layers;
    this.#mounts = mounts;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#maxMemoryBytes = Math.min(this.#limits.maxMemoryBytes, Math.floor(measureUsableMemory() / 2));
    this.#group = this.#createGroup();
    this.#watchLimits = this.#buildWatchLimits([options.paths.root, scratch.folder]);
    this.#startProcess = createCommandStarter({
      shell: findShell(),
      limits: this.#buildProcessLimits(),
      env: buildCommandVariables(options, sandbox, scratch),
      offlineVariables: { ...options.offlineVariables, ...layers.variables },
      mark: options.mark,
      groupJoinFile: this.#group?.joinFile,
      sandbox: sandbox.available
        ? {
            bubblewrap: sandbox.path,
            enterCommand: layers.enterCommand,
            features: sandbox.features,
            mounts,
            isRoot: isRoot(),
          }
        : undefined,
    });
  }

  /** Opens a runner. Rejects with `SANDBOX_UNAVAILABLE` if a required sandbox does not work. */
  static async open(options: CommandRunnerOptions): Promise<CommandRunner> {
    const sandbox = await chooseSandbox(options);
    const scratch = await makeScratch(options.mark);
    const { sharedFolders = [], privateCaches = [], cacheLayersDir } = options;
    let layers: Layers | undefined;
    try {
      if (sandbox.available)
        layers = await openLayers(sharedFolders, scratch.layersFolder, {
          caches: privateCaches,
          cacheLayersDir,
        });
      const mounts = layers ? await buildMounts(options, scratch, layers) : [];
      return new CommandRunner(options, sandbox, scratch, layers ?? NO_LAYERS, mounts);
    } catch (error) {
      await layers?.close();
      await scratch.remove();
      throw error;
    }
  }

  readSandboxStatus(): { sandboxed: true } | { sandboxed: false; reason: string } {
    return this.#sandbox.available ? { sandboxed: true } : { sandboxed: false, reason: this.#sandbox.reason };
  }

  async run(command: CommandLine, options: ExecOptions): Promise<ExecResult> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, signal, onOutput, network = false, appendedVariables } = options;
    const text = textOf(command);
    const denialReason = options.isApproved ? undefined : findDenialReason(text);
    if (denialReason !== undefined) throw new EnvironmentError('COMMAND_DENIED', denialReason);
    const cwd = await this.#resolveFolder(options.cwd ?? '.');
    const { maxOutputBytes } = this.#limits;
    const result = await this.#track(
      retryVanishedMount(() =>
        this.#waitForEnd(this.#startCommand({ command, cwd, network, appendedVariables }), {
          timeoutMs,
          signal,
          onOutput,
          maxOutputBytes,
        }),
      ),
    );
    return this.#sandbox.available && NOT_STARTED_EXIT_CODES.includes(result.exitCode ?? 0)
      ? this.#addMissingPrograms(result, text)
      : result;
  }

  #addMissingPrograms(result: ExecResult, command: string): ExecResult {
    const searchFolders = (process.env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
    const view = { searchFolders, homes: listOperatorHomes(), mounts: this.#mounts };
    return describeHiddenPrograms([command, result.output], view)
      .map(formatNotFoundNote)
      .reduce(appendNote, result);
  }

  /** Starts an interactive program. It has no time limit of its own: its caller or `close` ends it. */
  async start(argv: readonly string[], options: ProgramOptions): Promise<RunningProgram> {
    textOf(argv);
    const { network = false, variables, onStdout } = options;
    const cwd = await this.#resolveFolder(options.cwd ?? '.');
    const started = this.#startCommand({ command: argv, cwd, network, stdin: true, variables });
    const { stdin, stdout } = started;
    // A program that ends during a write closes the pipe: its end explains more than that error.
    stdin?.on('error', () => undefined);
    stdout.on('data', onStdout);
    const stopping = new AbortController();
    const maxOutputBytes = MAX_PROGRAM_OUTPUT_BYTES;
    const ended = this.#track(this.#waitForEnd(started, { signal: stopping.signal, maxOutputBytes }));
    const settled = ended.catch(() => undefined);
    return {
      ended,
      write: (text) => {
        if (stdin?.writable === true) stdin.write(text);
      },
      stop: async () => {
        stdin?.end();
        stopping.abort();
        await settled;
      },
    };
  }

  /** Ends running commands, their leftover processes and the scratch folder. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#runningCommands);
    if (!this.#sandbox.available && this.#runCount > 0) await killMarkedProcesses(this.#options.mark);
    await this.#group?.remove();
    await this.#layers.close();
    await this.#scratch.remove();
  }

  /** Registers a running command. `close` waits for it. */
  async #track<T>(running: Promise<T>): Promise<T> {
    this.#runningCommands.add(running);
    try {
      return await running;
    } finally {
      this.#runningCommands.delete(running);
    }
  }

  #startCommand(request: StartRequest): CommandProcess {
    this.#runCount += 1;
    return this.#startProcess({ ...request, network: request.network || this.#options.network === true });
  }

  /** Waits until a command and all of its processes have ended. */
  async #waitForEnd(started: CommandProcess, options: Omit<RunOptions, 'limits'>): Promise<ExecResult> {
    const { signal } = options;
    const killsBefore = this.#group?.countMemoryKills() ?? 0;
    const result = await runCommand(started, {
      ...options,
      signal: signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal,
      limits: this.#watchLimits,
    });
    const isOutOfMemory = (this.#group?.countMemoryKills() ?? 0) > killsBefore;
    if (result.exitCode !== 0 && started.isolated && isNetworkError(result.output))
      return appendNote(result, NO_NETWORK);
    const stopped =
      result.stopped ?? (isOutOfMemory ? describeMemoryExcess(this.#maxMemoryBytes) : undefined);
    if (stopped === undefined) return result;
    return { ...appendNote(result, `[The command was stopped: ${stopped}]`), stopped };
  }

  /** Returns the limits of each process. The kernel counts a user's processes per sandbox only since 5.14, and never root's. */
  #buildProcessLimits(): ProcessLimits {
    const { maxMemoryBytes, maxFileBytes, maxCpuSeconds, maxProcesses } = this.#limits;
    const limits = { maxMemoryBytes, maxFileBytes, maxCpuSeconds };
    return this.#sandbox.available && !isRoot() && countsProcessesPerSandbox()
      ? { ...limits, maxProcesses }
      : limits;
  }

  #createGroup(): CommandGroup | undefined {
    const groups = prepareGroupsOnce();
    if (!groups.available) return undefined;
    const limits = {
      maxMemoryBytes: this.#maxMemoryBytes,
      maxProcesses: this.#limits.maxProcesses + SANDBOX_PROCESS_COUNT,
    };
    return createGroup(groups.folder, `${process.pid}-${this.#options.mark}`, limits);
  }

  /** Returns the limits that are watched. `folders`: where commands write. */
  #buildWatchLimits(folders: readonly string[]): WatchLimits {
    const { minFreeDiskBytes, maxDiskBytes, maxProcesses } = this.#limits;
    const initialFreeBytes = folders.map((folder) => measureFreeDiskSync(folder));
    const maxMemoryBytes = this.#maxMemoryBytes;
    return {
      folders,
      initialFreeBytes,
      minFreeDiskBytes,
      maxDiskBytes,
      maxProcesses,
      maxMemoryBytes,
    };
  }

  async #resolveFolder(path: string): Promise<string> {
    const { root, startFolder } = this.#options.paths;
    // Fast path for nearly all commands: the path is canonical already, so one system call is enough instead of a dozen.
    if (path === '.' && startFolder === root && lstatSync(root, { throwIfNoEntry: false })?.isDirectory())
      return root;
    const target = await this.#options.paths.resolve(path);
    if (target.stats?.isDirectory()) return target.absolute;
    const code = target.stats ? 'NOT_A_DIRECTORY' : 'NOT_FOUND';
    throw new EnvironmentError(
      code,
      `The working directory ${target.shownPath} ${target.stats ? 'is not a directory' : 'does not exist'}`,
    );
  }
}

const appendNote = (result: ExecResult, note: string): ExecResult => ({
  ...result,
  stderr: `${result.stderr}\n${note}\n`,
  output: `${result.output}\n${note}\n`,
});

/** Matches errors of systems and of offline package managers that cannot reach another machine. */
const NETWORK_ERRORS =
  /\b(?:EAI_AGAIN|ENETUNREACH|ENOTFOUND|ENOTCACHED)\b|getaddrinfo|name resolution|[Nn]ame or service not known|[Cc]ould not resolve|[Nn]etwork is unreachable|no such host|GOPROXY=off|_OFFLINE|--offline|offline mode|[Nn]etwork access is disabled/;
const NETWORK_ERROR_TAIL_CHARS = 64 * 1024;

const isNetworkError = (output: string): boolean =>
  NETWORK_ERRORS.test(output.slice(-NETWORK_ERROR_TAIL_CHARS));

async function chooseSandbox({ sandbox = 'auto', logger }: CommandRunnerOptions): Promise<SandboxSupport> {
  if (sandbox === 'off') {
    logger?.warn({}, 'commands run without a sandbox: sandbox.mode is off');
    return { available: false, reason: 'the sandbox is switched off' };
  }
  const support = await detectSandbox();
  if (support.available) return support;
  if (sandbox === 'required') {
    throw new EnvironmentError('SANDBOX_UNAVAILABLE', `A sandbox is required, but ${support.reason}`);
  }
  logger?.warn({ reason: support.reason }, 'commands run without a sandbox');
  return support;
}

function countsProcessesPerSandbox(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/** Returns a command as one text, for rules and messages. Throws if it cannot be passed to a program. */
function textOf(command: CommandLine): string {
  const text = typeof command === 'string' ? command : command.join(' ');
  if (text.includes('\0'))
    throw new EnvironmentError('COMMAND_DENIED', 'The command contains a NUL character');
  return text;
}

/**
 * Runs a command again if its sandbox could not start because a mounted path vanished at that moment. The command has not started in this
 * case.
 */
async function retryVanishedMount(run: () => Promise<ExecResult>): Promise<ExecResult> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (errorCode(error) !== 'SANDBOX_UNAVAILABLE' || attempt === MAX_SANDBOX_ATTEMPTS) throw error;
    }
  }
}
