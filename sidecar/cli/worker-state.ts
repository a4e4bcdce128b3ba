/** A worker's state in one word, in the colour that it has everywhere. Pure. */
import type { HubWorker } from '../hub-client/hub-client.ts';
import type { Terminal } from './terminal.ts';

export function paintWorkerState(color: Terminal['color'], worker: HubWorker): string {
  if (!worker.connected) return color.dim('offline');
  if (worker.draining) return color.yellow(worker.load > 0 ? 'draining' : 'drained');
  if (worker.not_ready) return color.yellow('not ready');
  return worker.load > 0 ? color.cyan('working') : color.green('idle');
}
