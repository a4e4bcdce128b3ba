/**
 * The one place that starts commands (tools.md, ExecutionEnvironment). Each gets a process group of its own and
 * no stdin. A call settles on the process's exit and a short drain of its pipes, never on the pipes' end alone;
 * afterwards nothing of the group is left. The first cause of an ending wins: exit, timeout, abort or limit.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExecOptions } from '../ports.ts';
import { EnvironmentError } from './environment-error.ts';
import { MAX_OUTPUT_BYTES, OutputCollector } from './output-collector.ts';
import { signalGroup } from './process-groups.ts';

const DRAIN_MS = 50;
const KILL_DELAY_MS = 2000;
/** Turns of the event loop after the drain: what the kernel holds of a pipe is read by then. */
const LAST_TURNS = 64;
const MAX_STATUS_CHARS = 4096;

export interface SpawnRequest extends Pick<ExecOptions, 'timeoutMs' | 'signal' | 'onOutput'> {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** The file is bubblewrap and reports on descriptor 3 which process holds the sandbox. */
  sandboxed: boolean;
  /** Descriptors of this process that a child would inherit; it gets /dev/null in their place. */
  inheritedFds?: readonly number[];
  maxOutputBytes?: number;
  /** Called when the process runs; what it returns is called when it has ended. `stop` ends it with a reason. */
  watch?: (running: RunningCommand) => () => void;
}

export interface RunningCommand {
  pid: number;
  /** The sandbox's first process, once known. */
  sandboxPid(): number | undefined;
  /** Ends the command with SIGKILL; `reason` goes into the result. */
  stop(reason: string): void;
}

export interface SpawnResult {
  stdout: string;
  stderr: string;
  output: string;
  droppedBytes: number;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  aborted: boolean;
  /** Why a watcher stopped the command. */
  stopped?: string;
  durationMs: number;
  /** Something still held the pipes when the call settled: a process that left the group may be alive. */
  pipesHeld: boolean;
  /** bubblewrap ended before it had started the command. */
  sandboxFailed: boolean;
}

/** Runs a command to its end. Rejects only when it could not be started (`COMMAND_NOT_STARTED`). */
export async function runCommand(request: SpawnRequest): Promise<SpawnResult> {
  const startedMs = performance.now();
  const run = new CommandRun(request);
  const { exitCode, signal } = await run.ended;
  const output = run.collector.finish();
  const ended = run.cause !== undefined;
  return {
    ...output,
    // A sandbox reports a signal as 128 + n; when this port sent it, the result says so in the plain form.
    exitCode: ended ? null : exitCode,
    signal: ended ? (signal ?? run.lastSignal) : signal,
    timedOut: run.cause === 'timeout',
    aborted: run.cause === 'abort',
    ...(run.stopReason === undefined ? {} : { stopped: run.stopReason }),
    durationMs: performance.now() - startedMs,
    pipesHeld: run.pipesHeld,
    sandboxFailed: request.sandboxed && !ended && !run.sandboxReported && output.stderr.startsWith('bwrap: '),
  };
}

interface Exit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** A started command; owns its timers and listeners and has none of them left once `ended` has settled. */
class CommandRun {
  readonly collector: OutputCollector;
  readonly ended: Promise<Exit>;
  cause: 'timeout' | 'abort' | 'limit' | undefined;
  stopReason: string | undefined;
  lastSignal: NodeJS.Signals | null = null;
  pipesHeld = false;
  /** The sandbox said how the command ended, so there was one. */
  sandboxReported = false;
  readonly #request: SpawnRequest;
  readonly #child: ChildProcess;
  readonly #releases: (() => void)[] = [];
  #sandboxPid: number | undefined;
  #killAtMs = 0;

  constructor(request: SpawnRequest) {
    this.#request = request;
    this.collector = new OutputCollector(request.maxOutputBytes ?? MAX_OUTPUT_BYTES, request.onOutput);
    this.#child = start(request);
    this.#child.stdout?.on('data', (chunk: Buffer) => this.collector.append('stdout', chunk));
    this.#child.stderr?.on('data', (chunk: Buffer) => this.collector.append('stderr', chunk));
    this.ended = this.#waitForEnd();
  }

  async #waitForEnd(): Promise<Exit> {
    const exited = new Promise<Exit>((resolve, reject) => {
      this.#child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
      this.#child.once('error', (error) => reject(notStarted(error)));
    });
    this.#arm();
    try {
      const exit = await exited;
      await this.#drain();
      this.#sweep();
      return exit;
    } finally {
      for (const release of this.#releases) release();
      for (const stream of this.#child.stdio) stream?.destroy();
    }
  }

  #arm(): void {
    const { timeoutMs, signal, watch, sandboxed } = this.#request;
    if (timeoutMs !== undefined) this.#after(timeoutMs, () => this.#end('timeout'));
    if (sandboxed) this.#readStatus(this.#child.stdio[3] as Readable);
    const onAbort = () => this.#end('abort');
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#releases.push(() => signal?.removeEventListener('abort', onAbort));
    if (signal?.aborted) onAbort();
    const { pid } = this.#child;
    if (watch && pid !== undefined) {
      const stop = (reason: string) => this.#stop(reason);
      this.#releases.push(watch({ pid, sandboxPid: () => this.#sandboxPid, stop }));
    }
  }

  /** SIGTERM now, SIGKILL of the group two seconds later. */
  #end(cause: 'timeout' | 'abort'): void {
    if (this.cause) return;
    this.cause = cause;
    this.#killAtMs = performance.now() + KILL_DELAY_MS;
    // A sandbox that is only just being made has nothing in it yet that could end in order.
    this.#signal(this.#request.sandboxed && this.#sandboxPid === undefined ? 'SIGKILL' : 'SIGTERM');
    this.#after(KILL_DELAY_MS, () => this.#signal('SIGKILL'));
  }

  #stop(reason: string): void {
    if (this.cause) return;
    this.cause = 'limit';
    this.stopReason = reason;
    this.#signal('SIGKILL');
  }

  /**
   * Under bubblewrap a SIGTERM goes to the sandbox's own group: its first process, which takes none from
   * outside, stays and the command ends in order. A SIGKILL of that first process ends everything in it.
   */
  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.lastSignal = signal;
    if (this.#sandboxPid !== undefined) signalGroup(this.#sandboxPid, signal);
    if (!this.#request.sandboxed || signal === 'SIGKILL') this.#sweep(signal);
  }

  /** What is left of a sandbox died with bubblewrap; this ends what is left of a plain group. */
  #sweep(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): void {
    if (this.#child.pid !== undefined) signalGroup(this.#child.pid, signal);
  }

  /** After SIGTERM the shell is often gone before its children: as long as they write they have the two seconds. */
  async #drain(): Promise<void> {
    const ends = this.#child.stdio.slice(1).map((stream) => endOf(stream as Readable | null));
    const ended = Promise.all(ends).then(() => true);
    const drainMs = Math.max(DRAIN_MS, this.#killAtMs - performance.now());
    const deadline = new Promise<false>((resolve) => this.#after(drainMs, () => resolve(false)));
    if (await Promise.race([ended, deadline])) return;
    // The timer may have been late itself: what was written before the exit is still read.
    for (let turn = 0; turn < LAST_TURNS; turn += 1) {
      if (await Promise.race([ended, nextTurn(false)])) return;
    }
    this.pipesHeld = true;
  }

  #readStatus(status: Readable): void {
    let text = '';
    status.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString('latin1')).slice(0, MAX_STATUS_CHARS);
      const pid = /"child-pid": (\d+)/.exec(text)?.[1];
      if (pid !== undefined) this.#sandboxPid = Number(pid);
      this.sandboxReported = text.includes('"exit-code"');
    });
    status.on('error', () => undefined);
  }

  #after(delayMs: number, run: () => void): void {
    const timer = setTimeout(run, delayMs);
    this.#releases.push(() => clearTimeout(timer));
  }
}

function start(request: SpawnRequest): ChildProcess {
  const { file, args, cwd, env, sandboxed, inheritedFds = [] } = request;
  const stdio: (Stdio | undefined)[] = ['ignore', 'pipe', 'pipe', ...(sandboxed ? ['pipe' as const] : [])];
  // Only an open file takes the place of an inherited descriptor: 'ignore' leaves those above 2 as they are.
  const nothing = inheritedFds.length > 0 ? openSync('/dev/null', 'r') : undefined;
  for (const fd of inheritedFds) stdio[fd] ??= nothing;
  try {
    return spawn(file, args, {
      cwd,
      env,
      detached: true,
      stdio: Array.from(stdio, (entry) => entry ?? 'ignore'),
    });
  } catch (error) {
    throw notStarted(error);
  } finally {
    if (nothing !== undefined) closeSync(nothing);
  }
}

type Stdio = 'ignore' | 'pipe' | number;

function notStarted(error: unknown): EnvironmentError {
  const reason = error instanceof Error ? error.message : String(error);
  return new EnvironmentError('COMMAND_NOT_STARTED', `The command could not be started: ${reason}`, {
    cause: error,
  });
}

function endOf(stream: Readable | null): Promise<void> {
  return new Promise((resolve) => {
    if (!stream || stream.readableEnded || stream.destroyed) return resolve();
    stream.once('end', resolve);
    stream.once('close', resolve);
    stream.once('error', () => resolve());
  });
}
