/**
 * Runs a started command to its end. A call settles on the process's exit and a
 * short drain of its pipes, never on the pipes' end alone; afterwards nothing of the group is left. The first
 * cause of an ending wins: exit, timeout, abort or limit.
 */
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExecOptions } from '../ports.ts';
import type { CommandProcess, Exit } from './command-process.ts';
import { MAX_OUTPUT_BYTES, OutputCollector } from './output-collector.ts';

const DRAIN_MS = 50;
const KILL_DELAY_MS = 2000;
/** Turns of the event loop after the drain: what the kernel holds of a pipe is read by then. */
const LAST_TURNS = 64;

export interface RunOptions extends Pick<ExecOptions, 'timeoutMs' | 'signal' | 'onOutput'> {
  maxOutputBytes?: number;
  /** Called when the process runs; what it returns is called when it has ended. */
  watch?: (running: RunningCommand) => () => void;
}

export interface RunningCommand {
  sandboxed: boolean;
  /** Id of the process that was started, which leads a session. */
  pid: number | undefined;
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
export async function runCommand(started: CommandProcess, options: RunOptions): Promise<SpawnResult> {
  const startedMs = performance.now();
  const run = new CommandRun(started, options);
  const { exitCode, signal } = await run.ended;
  const output = run.collector.finish();
  const endedByUs = run.cause !== undefined;
  const neverBegan = started.sandboxed && !endedByUs && !started.sandboxReported;
  return {
    ...output,
    // A sandbox reports a signal as 128 + n; when this port sent it, the result says so in the plain form.
    exitCode: endedByUs ? null : exitCode,
    signal: endedByUs ? (signal ?? run.lastSignal) : signal,
    timedOut: run.cause === 'timeout',
    aborted: run.cause === 'abort',
    ...(run.stopReason === undefined ? {} : { stopped: run.stopReason }),
    durationMs: performance.now() - startedMs,
    pipesHeld: run.pipesHeld,
    sandboxFailed: neverBegan && output.stderr.startsWith('bwrap: '),
  };
}

/** Owns a run's timers and listeners and has none of them left once `ended` has settled. */
class CommandRun {
  readonly collector: OutputCollector;
  readonly ended: Promise<Exit>;
  cause: 'timeout' | 'abort' | 'limit' | undefined;
  stopReason: string | undefined;
  lastSignal: NodeJS.Signals | null = null;
  pipesHeld = false;
  readonly #options: RunOptions;
  readonly #process: CommandProcess;
  readonly #releases: (() => void)[] = [];
  #killAtMs = 0;

  constructor(started: CommandProcess, options: RunOptions) {
    this.#options = options;
    this.#process = started;
    this.collector = new OutputCollector(options.maxOutputBytes ?? MAX_OUTPUT_BYTES, options.onOutput);
    started.stdout.on('data', (chunk: Buffer) => this.collector.append('stdout', chunk));
    started.stderr.on('data', (chunk: Buffer) => this.collector.append('stderr', chunk));
    this.ended = this.#waitForEnd();
  }

  async #waitForEnd(): Promise<Exit> {
    this.#arm();
    try {
      const exit = await this.#process.exited;
      await this.#drain();
      this.#process.sweep();
      return exit;
    } finally {
      for (const release of this.#releases) release();
      this.#process.release();
    }
  }

  #arm(): void {
    const { timeoutMs, signal, watch } = this.#options;
    if (timeoutMs !== undefined) this.#after(timeoutMs, () => this.#end('timeout'));
    const onAbort = () => this.#end('abort');
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#releases.push(() => signal?.removeEventListener('abort', onAbort));
    if (signal?.aborted) onAbort();
    const stop = (reason: string) => this.#stop(reason);
    const { sandboxed, pid } = this.#process;
    if (watch) {
      this.#releases.push(watch({ sandboxed, pid, sandboxPid: () => this.#process.sandboxPid, stop }));
    }
  }

  /** SIGTERM now, SIGKILL of the group two seconds later. */
  #end(cause: 'timeout' | 'abort'): void {
    if (this.cause) return;
    this.cause = cause;
    this.#killAtMs = performance.now() + KILL_DELAY_MS;
    // A sandbox that is only just being made has nothing in it yet that could end in order.
    const isBeingMade = this.#process.sandboxed && this.#process.sandboxPid === undefined;
    this.#signal(isBeingMade ? 'SIGKILL' : 'SIGTERM');
    this.#after(KILL_DELAY_MS, () => this.#signal('SIGKILL'));
  }

  #stop(reason: string): void {
    if (this.cause) return;
    this.cause = 'limit';
    this.stopReason = reason;
    this.#signal('SIGKILL');
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.lastSignal = signal;
    this.#process.signal(signal);
  }

  /** After SIGTERM the shell is often gone before its children: as long as they write they have the two seconds. */
  async #drain(): Promise<void> {
    const ended = Promise.all(this.#process.pipes.map((pipe) => endOf(pipe))).then(() => true);
    const drainMs = Math.max(DRAIN_MS, this.#killAtMs - performance.now());
    const deadline = new Promise<false>((resolve) => this.#after(drainMs, () => resolve(false)));
    if (await Promise.race([ended, deadline])) return;
    // The timer may have been late itself: what was written before the exit is still read.
    for (let turn = 0; turn < LAST_TURNS; turn += 1) {
      if (await Promise.race([ended, nextTurn(false)])) return;
    }
    this.pipesHeld = true;
  }

  #after(delayMs: number, run: () => void): void {
    const timer = setTimeout(run, delayMs);
    this.#releases.push(() => clearTimeout(timer));
  }
}

function endOf(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.readableEnded || stream.destroyed) return resolve();
    stream.once('end', resolve);
    stream.once('close', resolve);
    stream.once('error', () => resolve());
  });
}
