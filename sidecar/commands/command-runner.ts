/**
 * Runs a workspace's commands: deny list, shell with limits, sandbox, spawn port, watchers, and the sweep of
 * what a command left behind. Whether there is a sandbox is decided once, at the start.
 */
import { release } from 'node:os';
import { lstatSync } from 'node:fs';
import { freeDiskBytesSync, mebibytes } from '../system/free-disk.ts';
import { usableMemoryBytes } from '../system/machine-memory.ts';
import type { ExecOptions, ExecResult, Logger, ProgramOptions, RunningProgram } from '../ports.ts';
import { type CommandGroup, makeGroup, takeGroups } from './command-group.ts';
import type { CommandStarter, StartedCommand, StartRequest } from './command-process.ts';
import { type CommandLine, type CommandShell, findShell, type ProcessLimits } from './command-shell.ts';
import { commandEnvironment, isRoot, mountsOf, type ViewOptions } from './command-view.ts';
import { watchCommand, type WatchLimits } from './command-watch.ts';
import { deniedReason } from './deny-list.ts';
import { EnvironmentError } from '../files/environment-error.ts';
import { findInheritedFds } from './inherited-fds.ts';
import { plainStarter } from './plain-starter.ts';
import { killMarkedProcesses, MARKER_VARIABLE } from './marked-processes.ts';
import { detectSandbox, type SandboxSupport } from './sandbox-detect.ts';
import type { SandboxMount } from './sandbox.ts';
import { sandboxStarter } from './sandbox-starter.ts';
import { makeScratch, type Scratch } from './scratch.ts';
import { openProgram } from './running-program.ts';
import { runCommand, type RunOptions, type SpawnResult } from './spawn-port.ts';

export interface CommandRunnerOptions extends ViewOptions {
  /** `auto` (default): the sandbox where it works; `required`: refuse to start without; `off`: none. */
  sandbox?: 'auto' | 'required' | 'off';
  /** Lets all commands use the host's network; the operator's decision. Default: no network. */
  network?: boolean;
  limits?: CommandLimits;
  logger?: Logger;
  mark: string;
}

export interface CommandLimits extends ProcessLimits {
  /** The most bytes in the workspace and the task's /tmp together. */
  maxDiskBytes?: number;
  /** A command is stopped when less than this is free on the workspace's disk. */
  minFreeDiskBytes?: number;
  /** Bytes kept of a command's output. */
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
/** Where no time limit is given; the shell tool gives a shorter one. */
const DEFAULT_TIMEOUT_MS = 600_000;
const SANDBOX_ATTEMPTS = 3;
/** Processes of bubblewrap and of the shell before it. */
const SANDBOX_PROCESSES = 4;

/** One per environment. `run` rejects only with `EnvironmentError`. */
export class CommandRunner {
  readonly #options: CommandRunnerOptions;
  readonly #sandbox: SandboxSupport;
  readonly #scratch: Scratch;
  readonly #shell: CommandShell = findShell();
  readonly #limits: typeof DEFAULT_LIMITS & CommandLimits;
  /** For all processes together: the worker, the model server and other tasks need the rest of the machine. */
  readonly #memoryBytes: number;
  readonly #group: CommandGroup | undefined;
  /** The folders that commands write to. */
  readonly #folders: readonly string[];
  readonly #freeBeforeBytes: readonly number[];
  readonly #start: CommandStarter;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #runs = 0;

  private constructor(
    options: CommandRunnerOptions,
    sandbox: SandboxSupport,
    scratch: Scratch,
    mounts: SandboxMount[],
  ) {
    this.#options = options;
    this.#sandbox = sandbox;
    this.#scratch = scratch;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#memoryBytes = Math.min(this.#limits.maxMemoryBytes, Math.floor(usableMemoryBytes() / 2));
    this.#group = this.#makeGroup();
    this.#folders = [options.paths.root, scratch.temporary];
    this.#freeBeforeBytes = this.#folders.map((folder) => freeDiskBytesSync(folder));
    const base = {
      shell: this.#shell,
      limits: this.#processLimits(),
      inheritedFds: findInheritedFds(),
      ...(this.#group ? { groupEntry: this.#group.entry } : {}),
    };
    const env = commandEnvironment(options, sandbox, scratch);
    this.#start = sandbox.available
      ? sandboxStarter({
          ...base,
          bubblewrap: sandbox.path,
          mounts,
          env: { ...env, [MARKER_VARIABLE]: options.mark },
          isRoot: isRoot(),
        })
      : plainStarter({ ...base, env, mark: options.mark });
  }

  /** Rejects with `SANDBOX_UNAVAILABLE` when a sandbox is required and does not work. */
  static async open(options: CommandRunnerOptions): Promise<CommandRunner> {
    const sandbox = await chooseSandbox(options);
    const scratch = await makeScratch(options.mark);
    try {
      const mounts = sandbox.available ? await mountsOf(options, scratch) : [];
      return new CommandRunner(options, sandbox, scratch, mounts);
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  }

  sandboxStatus(): { sandboxed: true } | { sandboxed: false; reason: string } {
    return this.#sandbox.available ? { sandboxed: true } : { sandboxed: false, reason: this.#sandbox.reason };
  }

  async run(command: CommandLine, options: ExecOptions): Promise<ExecResult> {
    const text = textOf(command);
    const denied = options.vetted ? undefined : deniedReason(text);
    if (denied !== undefined) throw new EnvironmentError('COMMAND_DENIED', denied);
    const cwd = await this.#folder(options.cwd ?? '.');
    const running = this.#spawn(command, cwd, options);
    this.#running.add(running);
    try {
      return toExecResult(await running, this.#sandbox.available);
    } finally {
      this.#running.delete(running);
    }
  }

  /** Starts a program that is spoken to; `close` ends it. Rejects where it cannot be started at once. */
  async start(argv: readonly string[], options: ProgramOptions): Promise<RunningProgram> {
    textOf(argv);
    const { network, variables, onStdout } = options;
    const cwd = await this.#folder(options.cwd ?? '.');
    const started = this.#begin({ command: argv, cwd, network: network === true, stdin: true, variables });
    const program = openProgram(started.process, onStdout, async (run) =>
      toExecResult(withSandbox(await this.#end(started, run)), this.#sandbox.available),
    );
    const running = program.ended.catch(() => undefined).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return program;
  }

  /** Ends what runs, sweeps and removes the scratch folder. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    if (!this.#sandbox.available && this.#runs > 0) await killMarkedProcesses(this.#options.mark);
    await this.#group?.remove();
    await this.#scratch.remove();
  }

  async #spawn(command: CommandLine, cwd: string, options: ExecOptions): Promise<SpawnResult> {
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#spawnOnce(command, cwd, options);
      if (!result.sandboxFailed) return result;
      // Something that was to be mounted went away in that moment; the command itself has not begun.
      if (attempt < SANDBOX_ATTEMPTS) continue;
      return withSandbox(result);
    }
  }

  #spawnOnce(command: CommandLine, cwd: string, options: ExecOptions): Promise<SpawnResult> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, signal, onOutput, network = false } = options;
    const { maxOutputBytes } = this.#limits;
    return this.#end(this.#begin({ command, cwd, network }), { timeoutMs, signal, onOutput, maxOutputBytes });
  }

  #begin(request: StartRequest): StartedCommand {
    this.#runs += 1;
    return this.#start({ ...request, network: request.network || this.#options.network === true });
  }

  /** Waits for a command's end; nothing of it is left then. */
  async #end({ process: started, mark }: StartedCommand, options: RunOptions): Promise<SpawnResult> {
    const { signal } = options;
    const killsBefore = this.#group?.memoryKills();
    const result = await runCommand(started, {
      ...options,
      signal: signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal,
      watch: (running) => watchCommand(running, this.#watchLimits()),
    });
    const mayHaveLeft = result.pipesHeld || result.timedOut || result.aborted;
    if (mayHaveLeft && mark !== undefined) await killMarkedProcesses(mark);
    const ranOut = killsBefore !== undefined && (this.#group?.memoryKills() ?? 0) > killsBefore;
    if (!ranOut || result.stopped !== undefined) return result;
    return {
      ...result,
      stopped: `its processes used more than ${mebibytes(this.#memoryBytes)} of memory together`,
    };
  }

  /** The kernel counts a user's processes per sandbox only since 5.14, and never root's. */
  #processLimits(): ProcessLimits {
    const { maxMemoryBytes, maxFileBytes, maxCpuSeconds, maxProcesses } = this.#limits;
    const limits = { maxMemoryBytes, maxFileBytes, maxCpuSeconds };
    return this.#sandbox.available && !isRoot() && countsPerSandbox() ? { ...limits, maxProcesses } : limits;
  }

  #makeGroup(): CommandGroup | undefined {
    const groups = takeGroups();
    if (!groups.available) return undefined;
    const limits = {
      maxMemoryBytes: this.#memoryBytes,
      maxProcesses: this.#limits.maxProcesses + SANDBOX_PROCESSES,
    };
    return makeGroup(groups.folder, `${process.pid}-${this.#options.mark}`, limits);
  }

  #watchLimits(): WatchLimits {
    const { minFreeDiskBytes, maxDiskBytes, maxProcesses } = this.#limits;
    return {
      folders: this.#folders,
      freeBeforeBytes: this.#freeBeforeBytes,
      minFreeDiskBytes,
      maxDiskBytes,
      maxProcesses,
      maxMemoryBytes: this.#memoryBytes,
    };
  }

  async #folder(path: string): Promise<string> {
    const { root } = this.#options.paths;
    // Where nearly all commands run: its own path is canonical already, and looking takes one call instead of a dozen.
    if (path === '.' && lstatSync(root, { throwIfNoEntry: false })?.isDirectory()) return root;
    const target = await this.#options.paths.resolve(path);
    if (target.stats?.isDirectory()) return target.absolute;
    const code = target.stats ? 'NOT_A_DIRECTORY' : 'NOT_FOUND';
    throw new EnvironmentError(
      code,
      `The working directory ${target.shown} ${target.stats ? 'is not a directory' : 'does not exist'}`,
    );
  }
}

async function chooseSandbox({ sandbox = 'auto', logger }: CommandRunnerOptions): Promise<SandboxSupport> {
  if (sandbox === 'off') {
    logger?.warn({}, 'commands run without a sandbox: it is switched off');
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

function countsPerSandbox(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/** A command as one text, for rules and messages; throws for what cannot be handed to a program. */
function textOf(command: CommandLine): string {
  const text = typeof command === 'string' ? command : command.join(' ');
  if (text.includes('\0'))
    throw new EnvironmentError('COMMAND_DENIED', 'The command has a NUL character in it');
  return text;
}

/** Throws where the sandbox ended before it had started the command. */
function withSandbox(result: SpawnResult): SpawnResult {
  if (!result.sandboxFailed) return result;
  throw new EnvironmentError(
    'SANDBOX_UNAVAILABLE',
    `The sandbox failed: ${result.stderr.trim().slice(0, 500)}`,
  );
}

function toExecResult(result: SpawnResult, sandboxed: boolean): ExecResult {
  const { stopped, pipesHeld: _pipes, sandboxFailed: _failed, ...rest } = result;
  if (stopped === undefined) return { ...rest, sandboxed };
  const note = `\n[The command was stopped: ${stopped}]\n`;
  return { ...rest, stderr: rest.stderr + note, output: rest.output + note, sandboxed, stopped };
}
