/** Colours for the states of tasks and workers. Pure. */
import type { HubWorker } from '../hub/client/hub-client.ts';
import { toPrintable, toPrintableLine } from '../base/values/printable.ts';
import type { Terminal } from './terminal.ts';

/** Colours a task's status. */
export function paintStatus(color: Terminal['color'], status: string): string {
  if (status === 'asks') return color.magenta(status);
  if (status === 'success') return color.green(status);
  if (status === 'partial' || status === 'on hold') return color.yellow(status);
  if (status === 'not done' || status === 'cancelled') return color.red(status);
  if (status === 'dead_letter' || status === 'failed') return color.red('failed');
  return color.cyan(toPrintable(status));
}

/** Returns a worker's state in one coloured word. */
export function paintWorkerState(color: Terminal['color'], worker: HubWorker): string {
  if (!worker.connected) return color.dim('offline');
  if (worker.draining) return color.yellow(worker.load > 0 ? 'draining' : 'drained');
  if (worker.not_ready) return color.yellow('not ready');
  if (worker.needs_model && worker.load === 0) return color.yellow('no model');
  return worker.load > 0 ? color.cyan('working') : color.green('idle');
}

/** Returns a worker's version, marked if it is older than the hub's. */
export function paintVersion(color: Terminal['color'], { version, outdated }: HubWorker): string {
  const shownVersion = toPrintableLine(version ?? '–', 16);
  return outdated ? color.yellow(`${shownVersion} (old)`) : shownVersion;
}
