/**
 * Handles SIGINT, SIGTERM and SIGHUP (closed terminal) during a whole command, so that an early stop leaves nothing
 * behind. The first signal requests an orderly end, the second a quick one, the third exits at once.
 */
import { isatty } from 'node:tty';
import { onAbort } from '../base/system/on-abort.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Logger } from '../base/ports.ts';

const EXIT_CODES = {
  SIGHUP: EXIT.hungUp,
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
} as const;
type HandledSignal = keyof typeof EXIT_CODES;
const HANDLED_SIGNALS = Object.keys(EXIT_CODES) as HandledSignal[];

export interface Interruption {
  /** Exit code for the first signal; undefined before the first signal. */
  readonly exitCode: ExitCode | undefined;
  /** Aborted by the first signal. */
  readonly firstSignal: AbortSignal;
  /** Aborted by the second signal. */
  readonly secondSignal: AbortSignal;
}

/**
 * Runs `work` with signal handlers installed, sets the process's exit code to its result, and then removes the
 * handlers.
 */
export async function runInterruptible(
  work: (interruption: Interruption) => Promise<ExitCode>,
  handledSignals: readonly NodeJS.Signals[] = HANDLED_SIGNALS,
): Promise<void> {
  const stages = [new AbortController(), new AbortController()] as const;
  let code: ExitCode | undefined;
  let signalCount = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    code ??= EXIT_CODES[signal as HandledSignal];
    const stage = stages[signalCount];
    signalCount += 1;
    if (!stage) process.exit(code);
    stage.abort();
  };
  for (const signal of handledSignals) process.on(signal, onSignal);
  try {
    process.exitCode = await work({
      get exitCode() {
        return code;
      },
      firstSignal: stages[0].signal,
      secondSignal: stages[1].signal,
    });
  } finally {
    for (const signal of handledSignals) process.off(signal, onSignal);
    // Ends the process by SIGHUP before Node restores the terminal's settings at exit: Node would abort because the
    // terminal is gone.
    if (code === EXIT.hungUp && isOnTerminal())
      process.once('exit', () => process.kill(process.pid, 'SIGHUP'));
  }
}

/**
 * Logs an error that no code handles, with its cause and without secrets, before Node prints it and ends the process. Returns
 * a function that stops that.
 */
export function logUnexpectedErrors(logger: Logger): () => void {
  const log = (error: Error, origin: string): void =>
    logger.error({ err: error, origin }, 'The program ends because of an unexpected error');
  process.on('uncaughtExceptionMonitor', log);
  return () => void process.off('uncaughtExceptionMonitor', log);
}

/**
 * Returns the signals that end a server. Without a terminal, a server ignores SIGHUP: `nohup` requests that, but Node
 * resets the signal's disposition.
 */
export function listServerSignals(): NodeJS.Signals[] {
  if (isOnTerminal()) return HANDLED_SIGNALS;
  process.on('SIGHUP', () => undefined);
  return HANDLED_SIGNALS.filter((signal) => signal !== 'SIGHUP');
}

const isOnTerminal = (): boolean => [0, 1, 2].some((descriptor) => isatty(descriptor));

/** Resolves when `signal` aborts. */
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => onAbort(signal, resolve));
