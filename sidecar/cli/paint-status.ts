/** A task's status, which a hub chose, in the colour that it has everywhere. Pure. */
import type { Terminal } from './terminal.ts';
import { printable } from '../values/printable.ts';

export function paintStatus(color: Terminal['color'], status: string): string {
  if (status === 'success') return color.green(status);
  if (status === 'partial' || status === 'on hold') return color.yellow(status);
  if (status === 'not done') return color.red(status);
  if (status === 'dead_letter' || status === 'failed') return color.red('failed');
  if (status === 'cancelled') return color.red(status);
  return color.cyan(printable(status));
}
