/**
 * SIGINT, SIGTERM and SIGHUP (a terminal that was closed), caught from a command's first moment to its last, so that
 * nothing is left over when a person stops it early. The first signal asks for an orderly end, the second for a quick one, the third ends at once.
 */
import { isatty } from 'node:tty';
import { onAbort } from '../system/on-abort.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

const CODES = {
  SIGHUP: EXIT.hungUp,
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
} as const;
type Caught = keyof typeof CODES;
const CAUGHT = Object.keys(CODES) as Caught[];

export interface Interruption {
  /** Exit code of the first signal; undefined while there was none. */
  readonly code: ExitCode | undefined;
  /** Aborted by the first signal. */
  readonly first: AbortSignal;
  /** Aborted by the second. */
  readonly second: AbortSignal;
}

/**
 * Runs a command's work, whose result is the process's exit code, with signals caught; afterwards they do again what they
 * did before.
 */
export async function interruptible(
  work: (interruption: Interruption) => Promise<ExitCode>,
  caught: readonly NodeJS.Signals[] = CAUGHT,
): Promise<void> {
  const stages = [new AbortController(), new AbortController()] as const;
  let code: ExitCode | undefined;
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    code ??= CODES[signal as Caught];
    const stage = stages[signals];
    signals += 1;
    if (!stage) process.exit(code);
    stage.abort();
  };
  for (const signal of caught) process.on(signal, onSignal);
  try {
    process.exitCode = await work({
      get code() {
        return code;
      },
      first: stages[0].signal,
      second: stages[1].signal,
    });
  } finally {
    for (const signal of caught) process.off(signal, onSignal);
    // Node would abort over a terminal that is gone, whose settings it gives back at its end.
    if (code === EXIT.hungUp && isOnTerminal())
      process.once('exit', () => process.kill(process.pid, 'SIGHUP'));
  }
}

/** Returns the signals that end a server. One without a terminal survives a hangup, since Node forgets that `nohup` had it ignored. */
export function serverSignals(): NodeJS.Signals[] {
  if (isOnTerminal()) return CAUGHT;
  process.on('SIGHUP', () => undefined);
  return CAUGHT.filter((signal) => signal !== 'SIGHUP');
}

const isOnTerminal = (): boolean => [0, 1, 2].some((descriptor) => isatty(descriptor));

/** Resolves when `signal` aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => onAbort(signal, resolve));
