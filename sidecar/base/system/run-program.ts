/**
 * Runs a program through the launcher until it ends, with limits of time and output. If it is ended early,
 * its whole process group is ended.
 */
import type { Readable } from 'node:stream';
import { errorMessage } from '../values/errors.ts';
import { systemClock } from './clock.ts';
import { onAbort } from './on-abort.ts';
import { launch, type ProcessExit, type RunningProcess, type ProcessSpec } from './launcher.ts';

const KILL_AFTER_MS = 2_000;
/** Maximum wait for the end of the output after the program has ended. Another process may hold the pipes open. */
const DRAIN_MS = 500;

export interface ProgramRunOptions extends Omit<ProcessSpec, 'descriptors'> {
  timeoutMs: number;
  signal?: AbortSignal;
  /** Maximum size of stdout, and of stderr. A program that writes more is ended. */
  maxOutputBytes: number;
  /** Called with stdout while the program runs; the result then contains no stdout. `stop` ends the program. */
  onStdout?: (piece: Buffer, stop: () => void) => void;
}

/** Reason why a program was ended early. */
export type EarlyEndReason = 'aborted' | 'timeout' | 'output_too_large' | 'stopped';

export interface ProgramResult extends ProcessExit {
  /** Reason why the program was ended early; undefined if it ended by itself. */
  earlyEnd: EarlyEndReason | undefined;
  /** Error text if the program could not be started. */
  startError: string | undefined;
  stdout: Buffer;
  stderr: Buffer;
}

/** Runs the program to its end. Never rejects. */
export async function runProgram(run: ProgramRunOptions): Promise<ProgramResult> {
  const { file, args, cwd, env, input, maxOutputBytes, onStdout } = run;
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const program = launch({ file, args, cwd, env, input, descriptors: [stdin, 'pipe', 'pipe'] });
  const terminator = createTerminator(program, run);
  const stdout = collectOutput(program.outputs[1], (piece, sizeBytes) => {
    if (onStdout) onStdout(piece, () => terminator.end('stopped'));
    else if (sizeBytes > maxOutputBytes) terminator.end('output_too_large');
    return !onStdout && sizeBytes <= maxOutputBytes;
  });
  const stderr = collectOutput(program.outputs[2], (_piece, sizeBytes) => sizeBytes <= maxOutputBytes);
  const exit = await program.exited.catch((error: unknown) => errorMessage(error));
  terminator.drain();
  const [out, err] = await Promise.all([stdout, stderr]);
  terminator.release();
  const isStarted = typeof exit === 'object';
  return {
    ...(isStarted ? exit : { exitCode: null, signal: null }),
    earlyEnd: terminator.cause,
    startError: isStarted ? undefined : exit,
    stdout: out,
    stderr: err,
  };
}

/**
 * Reads an output until it is closed. `shouldCollect` receives each piece and the total size, and returns whether to
 * collect the piece.
 */
function collectOutput(
  output: Readable | undefined,
  shouldCollect: (piece: Buffer, sizeBytes: number) => boolean,
): Promise<Buffer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    output?.on('data', (piece: Buffer) => {
      sizeBytes += piece.length;
      if (shouldCollect(piece, sizeBytes)) pieces.push(piece);
    });
    output?.once('close', () => resolve(Buffer.concat(pieces)));
  });
}

interface ProgramTerminator {
  readonly cause: EarlyEndReason | undefined;
  /** Ends the whole process group because of `cause`. */
  end(cause: EarlyEndReason): void;
  /** Stops reading the outputs after a short delay. */
  drain(): void;
  /** Clears timers and listeners. If the program was ended early, also ends what is left of its process group. */
  release(): void;
}

function createTerminator(
  program: RunningProcess,
  { timeoutMs, signal }: ProgramRunOptions,
): ProgramTerminator {
  const timers: (() => void)[] = [];
  let cause: EarlyEndReason | undefined;
  const scheduleAction = (delayMs: number, act: () => void): void =>
    void timers.push(systemClock.schedule(delayMs, act));
  const end = (early: EarlyEndReason): void => {
    if (cause) return;
    cause = early;
    program.signal('SIGTERM');
    scheduleAction(KILL_AFTER_MS, () => program.signal('SIGKILL'));
  };
  const unlisten = onAbort(signal, () => end('aborted'));
  scheduleAction(timeoutMs, () => end('timeout'));
  return {
    get cause() {
      return cause;
    },
    end,
    drain: () => scheduleAction(DRAIN_MS, () => program.release()),
    release: () => {
      timers.forEach((cancel) => cancel());
      unlisten();
      if (cause) program.signal('SIGKILL');
      program.release();
    },
  };
}
