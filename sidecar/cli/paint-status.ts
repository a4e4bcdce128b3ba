/** A task's status in the colour that it has everywhere. Pure. */
import type { Terminal } from './terminal.ts';

export function paintStatus(color: Terminal['color'], status: string): string {
  if (status === 'success') return color.green(status);
  if (status === 'partial') return color.yellow(status);
  if (status === 'dead_letter' || status === 'cancelled' || status === 'failed') return color.red(status);
  return color.cyan(status);
}
