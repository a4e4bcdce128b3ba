/** `workers`: lists a hub's workers; `workers drain` and `workers resume`: stop and resume new tasks for a worker. */
import { toPrintable, toPrintableLine } from '../../base/values/printable.ts';
import { quoteShellWord } from '../../base/values/shell-word.ts';
import { openHub, type HubFlags } from '../hub-address.ts';
import type { HubWorker } from '../../hub/client/hub-client.ts';
import { showList } from '../live-list.ts';
import { paintVersion, paintWorkerState } from '../paint-status.ts';
import type { ListFormat } from '../terminal.ts';

export async function workersCommand(options: HubFlags & { watch?: boolean }): Promise<void> {
  const { terminal, client } = await openHub(options);
  const reasonWidth = Math.max(30, terminal.width - 50);
  const cellWidth = Math.max(20, Math.floor((terminal.width - 50) / 2));
  const createList = (workers: readonly HubWorker[]): ListFormat<HubWorker> => {
    const showsReasons = workers.some(isWaiting);
    return {
      emptyText: 'No worker has connected yet.',
      titles: ['WORKER', 'STATE', 'LOAD', 'VERSION', 'MODELS', 'LABELS', ...(showsReasons ? ['WHY'] : [])],
      row: (worker) => [
        toPrintableLine(worker.agent_id, 24),
        paintWorkerState(terminal.color, worker),
        `${worker.load}/${worker.capacity}`,
        paintVersion(terminal.color, worker),
        toPrintableLine(worker.models.join(', ') || '–', cellWidth),
        toPrintableLine(worker.labels.join(', ') || '–', cellWidth),
        ...(showsReasons
          ? [isWaiting(worker) ? toPrintableLine(worker.not_ready ?? '', reasonWidth) : '']
          : []),
      ],
      optionalColumns: ['LABELS', 'VERSION', 'MODELS'],
    };
  };
  await showList(terminal, options, async () => {
    const workers = await client.workers();
    return { items: workers, list: createList(workers) };
  });
}

const isWaiting = ({ connected, not_ready: reason }: HubWorker): boolean => connected && Boolean(reason);

export async function drainCommand(name: string, options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  const worker = await client.drain(name, true);
  if (terminal.json) return terminal.data(worker);
  const shownName = toPrintable(worker.agent_id);
  terminal.line(
    worker.load > 0
      ? `Worker ${shownName} finishes ${worker.load === 1 ? '1 task' : `${worker.load} tasks`} and gets no new ones`
      : `Worker ${shownName} gets no new tasks`,
  );
  terminal.line(`  resume it:  ollama-sidecar workers resume ${quoteShellWord(shownName)}`);
}

export async function resumeCommand(name: string, options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  const worker = await client.drain(name, false);
  if (terminal.json) terminal.data(worker);
  else terminal.line(`Worker ${toPrintable(worker.agent_id)} gets tasks again`);
}
