/**
 * Memory of the shipped worker, whose hub and model are in other processes: with 20 tasks in work at once, and after each
 * step of many short tasks, which shows whether something stays of a task that is over.
 */
import { startChild } from './support/child.ts';
import { startCliWorker, type CliWorker } from './support/cli-worker.ts';
import { MODEL, openLab, sessionOf, type Lab, type Session } from './support/lab.ts';
import { MIB, type Figure } from './support/measure.ts';
import type { HubReady } from './support/session-process.ts';
import { workerConfig } from './support/worker-config.ts';

const AT_ONCE = 20;
const ROUNDS = 3;
const REPOSITORIES = 4;
const TASKS = Number(process.env.BENCH_TASKS ?? 300);
const STEPS = 6;

export async function bench(): Promise<Figure[]> {
  const lab = await openLab({ rounds: ROUNDS }, REPOSITORIES);
  try {
    const together = await withWorker(lab, 'together', async (worker, session) => {
      await session.run(reposFor(lab, AT_ONCE));
      return worker.memoryBytes('VmHWM');
    });
    const steps = await withWorker(lab, 'steps', async (worker, session) => {
      const bytes: number[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        await session.run(reposFor(lab, TASKS / STEPS));
        bytes.push(worker.memoryBytes('VmRSS'));
      }
      return bytes;
    });
    return [
      {
        name: `memory: peak of the worker with ${AT_ONCE} tasks in work`,
        value: together / MIB,
        unit: 'MiB',
        target: '< 250',
      },
      {
        name: `memory: the worker after ${TASKS} tasks, ${AT_ONCE} at once`,
        value: (steps.at(-1) ?? Number.NaN) / MIB,
        unit: 'MiB',
        note: `after each ${TASKS / STEPS}: ${steps.map((bytes) => (bytes / MIB).toFixed(0)).join(', ')}`,
      },
    ];
  } finally {
    await lab.close();
  }
}

const reposFor = ({ repos }: Lab, tasks: number): string[] =>
  Array.from({ length: tasks }, (_, index) => repos[index % repos.length] ?? '');

async function withWorker<T>(
  lab: Lab,
  name: string,
  measure: (worker: CliWorker, session: Session) => Promise<T>,
): Promise<T> {
  const base = { dir: lab.dir, modelUrl: lab.modelUrl, model: MODEL, sandbox: 'off' } as const;
  const hub = await startChild('support/session-process', { ...base, role: 'hub' }, 1_200_000);
  const { wsUrl, workerToken, agentId } = hub.ready as HubReady;
  const config = workerConfig({ ...base, concurrency: AT_ONCE }, name);
  const worker = startCliWorker(
    lab.dir,
    {
      ...config,
      ollama: { ...config.ollama, slots: AT_ONCE },
      hub: { url: wsUrl, agentId },
    },
    workerToken,
  );
  try {
    return await measure(worker, sessionOf(lab, hub));
  } finally {
    await worker.end();
    await hub.end();
  }
}
