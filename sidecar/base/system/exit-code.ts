/** Exit codes as users read them: a shell reports the signal that ended its command in the code. */
import { constants } from 'node:os';

const SIGNAL_BASE = 128;

/** Returns the code, with the signal behind it: `137 (SIGKILL)`. */
export function exitCodeText(code: number | null): string {
  if (code === null) return 'none';
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - SIGNAL_BASE);
  return signal ? `${code} (${signal[0]})` : String(code);
}
