/**
 * Runs a started command to its end. A run ends after the exit of the process and a short time for reading the rest of its pipes; it does
 * not wait until other processes close the pipes. Afterwards no process of the group remains. The first cause of the ending counts: exit,
 * timeout, abort or limit.
 */
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExecOptions, ExecResult } from '../../base/ports.ts';
import { systemClock } from '../../base/system/clock.ts';
import type { ProcessExit } from '../../base/system/launcher.ts';
import { EnvironmentError } from '../files/environment-error.ts';
import type { CommandProcess } from './command-process.ts';
import { watchCommand, type WatchLimits } from './command-watch.ts';
import { killMarkedProcesses } from './marked-processes.ts';
import { MAX_OUTPUT_BYTES, OutputCollector } from './output-collector.ts';

const DRAIN_MS = 50;
const KILL_DELAY_MS = 2000;
/** Maximum number of event-loop turns after the exit in which the rest of the pipes' kernel buffers is read. */
const MAX_DRAIN_TURNS = 64;

export interface RunOptions extends Pick<ExecOptions, 'timeoutMs' | 'signal' | 'onOutput'> {
  maxOutputBytes: number | undefined;
  limits: WatchLimits;
}

/**
 * Runs a command to its end. Rejects if the command never began: `COMMAND_NOT_STARTED`, or `SANDBOX_UNAVAILABLE` if bubblewrap ended before
 * it had started the command.
 */
export async function runCommand(started: CommandProcess, options: RunOptions): Promise<ExecResult> {
  const startedMs = performance.now();
  const run = new CommandRun(started, options);
  const { exitCode, signal } = await run.ended;
  const durationMs = performance.now() - startedMs;
  const output = run.collector.finish();
  const { cause, stopReason } = run;
  const mayHaveLeft = run.hasOpenPipes || cause === 'timeout' || cause === 'abort';
  if (mayHaveLeft && started.mark !== undefined) await killMarkedProcesses(started.mark);
  const isNotStarted = started.sandboxed && cause === undefined && !started.sandboxReported;
  if (isNotStarted && /^(?:bwrap|nsenter): /.test(output.stderr))
    throw new EnvironmentError(
      'SANDBOX_UNAVAILABLE',
      `The sandbox failed: ${output.stderr.trim().slice(0, 500)}`,
    );
  return {
    ...output,
    // A sandbox reports a signal as exit code 128 + n. If this module sent the signal, the result contains the signal's name instead.
    exitCode: cause === undefined ? exitCode : null,
    signal: cause === undefined ? signal : (signal ?? run.lastSignal),
    timedOut: cause === 'timeout',
    aborted: cause === 'abort',
    ...(stopReason === undefined ? {} : { stopped: stopReason }),
    durationMs,
    sandboxed: started.sandboxed,
  };
}

/** Owns the timers and listeners of a run, which are removed once `ended` has settled. */
class CommandRun {
  readonly collector: OutputCollector;
  readonly ended: Promise<ProcessExit>;
  cause: 'timeout' | 'abort' | 'limit' | undefined;
  stopReason: string | undefined;
  lastSignal: NodeJS.Signals | null = null;
  /** Whether a pipe was still open at the end of the run. If so, a process that left the group may be alive. */
  hasOpenPipes = false;
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

  async #waitForEnd(): Promise<ProcessExit> {
    this.#startTimers();
    try {
      const exit = await this.#process.exited;
      await this.#drain();
      this.#process.killGroup();
      return exit;
    } finally {
      for (const release of this.#releases) release();
      this.#process.closePipes();
    }
  }

  #startTimers(): void {
    const { timeoutMs, signal, limits } = this.#options;
    if (timeoutMs !== undefined) this.#schedule(timeoutMs, () => this.#terminate('timeout'));
    const onAbort = () => this.#terminate('abort');
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#releases.push(() => signal?.removeEventListener('abort', onAbort));
    if (signal?.aborted) onAbort();
    this.#releases.push(watchCommand(this.#process, limits, (reason) => this.#stopForLimit(reason)));
  }

  /** Sends SIGTERM now, and SIGKILL to the group two seconds later. */
  #terminate(cause: 'timeout' | 'abort'): void {
    if (this.cause) return;
    this.cause = cause;
    this.#killAtMs = performance.now() + KILL_DELAY_MS;
    // While bubblewrap still prepares the sandbox, no command runs in it that could end in order.
    const isSandboxStarting = this.#process.sandboxed && this.#process.sandboxPid === undefined;
    this.#signal(isSandboxStarting ? 'SIGKILL' : 'SIGTERM');
    this.#schedule(KILL_DELAY_MS, () => this.#signal('SIGKILL'));
  }

  #stopForLimit(reason: string): void {
    if (this.cause) return;
    this.cause = 'limit';
    this.stopReason = reason;
    this.#signal('SIGKILL');
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.lastSignal = signal;
    this.#process.signal(signal);
  }

  /**
   * Reads the rest of the output. After SIGTERM the shell often ends before its child processes. While these still write, reading continues
   * for up to two seconds.
   */
  async #drain(): Promise<void> {
    const ended = Promise.all(this.#process.pipes.map((pipe) => waitForStreamEnd(pipe))).then(() => true);
    const drainMs = Math.max(DRAIN_MS, this.#killAtMs - performance.now());
    const deadline = new Promise<false>((resolve) => this.#schedule(drainMs, () => resolve(false)));
    if (await Promise.race([ended, deadline])) return;
    // The timer may have fired late, so output from before the exit is read as well.
    for (let turn = 0; turn < MAX_DRAIN_TURNS; turn += 1) {
      if (await Promise.race([ended, nextTurn(false)])) return;
    }
    this.hasOpenPipes = true;
  }

  #schedule(delayMs: number, run: () => void): void {
    this.#releases.push(systemClock.schedule(delayMs, run));
  }
}

function waitForStreamEnd(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.readableEnded || stream.destroyed) return resolve();
    stream.once('end', resolve);
    stream.once('close', resolve);
    stream.once('error', () => resolve());
  });
}
