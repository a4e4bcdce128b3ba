/** Formats exit codes for users. If a signal ended a command, a shell reports 128 plus the signal's number as the exit code. */
import { constants } from 'node:os';

const SIGNAL_BASE = 128;

/** Returns the code, followed by the name of the signal if there is one: `137 (SIGKILL)`. */
export function formatExitCode(code: number | null): string {
  if (code === null) return 'none';
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - SIGNAL_BASE);
  return signal ? `${code} (${signal[0]})` : String(code);
}
