/** `workers`: a hub's workers; `workers drain` and `workers resume`: no new tasks for one of them, and tasks again. */
import type { HubWorker } from '../../hub-client/hub-client.ts';
import { printable, printableLine } from '../../values/printable.ts';
import { shellWord } from '../../values/shell-word.ts';
import { connectHub, type HubFlags } from '../hub-address.ts';
import { createTerminal, type Terminal } from '../terminal.ts';
import { paintWorkerState } from '../worker-state.ts';

export async function workersCommand(options: HubFlags): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const workers = await (await connectHub(options)).workers();
  if (terminal.json) terminal.data(workers);
  else if (workers.length === 0) terminal.line('No worker has connected yet.');
  else showWorkers(terminal, workers);
}

export async function drainCommand(name: string, options: HubFlags): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const worker = await (await connectHub(options)).drain(name, true);
  if (terminal.json) return terminal.data(worker);
  const shown = printable(worker.agent_id);
  terminal.line(
    worker.load > 0
      ? `Worker ${shown} finishes ${worker.load} task(s) and gets no new ones`
      : `Worker ${shown} gets no new tasks`,
  );
  terminal.line(`  let it work again:  ollama-sidecar workers resume ${shellWord(shown)}`);
}

export async function resumeCommand(name: string, options: HubFlags): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const worker = await (await connectHub(options)).drain(name, false);
  if (terminal.json) terminal.data(worker);
  else terminal.line(`Worker ${printable(worker.agent_id)} gets tasks again`);
}

function showWorkers({ color, table, width }: Terminal, workers: readonly HubWorker[]): void {
  const room = Math.max(20, Math.floor((width - 50) / 2));
  const rows = workers.map((worker) => [
    printableLine(worker.agent_id, 24),
    paintWorkerState(color, worker),
    `${worker.load}/${worker.capacity}`,
    printableLine(worker.models.join(', ') || '–', room),
    printableLine(worker.labels.join(', ') || '–', room),
  ]);
  table(rows, ['WORKER', 'STATE', 'LOAD', 'MODELS', 'LABELS']);
}
