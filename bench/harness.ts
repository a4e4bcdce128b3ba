/**
 * What the harness costs beside the model: 30 rounds of one shell command each (`cat` of a 2 KB file) and an answer,
 * the whole way through hub, socket, worker, journal, ledger and progress. A round is measured at the model: from its
 * answer's last byte to the last byte of the next request.
 */
import type { BareOptions } from './support/bare-process.ts';
import { startChild } from './support/child.ts';
import { startCliWorker } from './support/cli-worker.ts';
import {
  chatsOf,
  gapsOf,
  MODEL,
  openLab,
  openSession,
  sessionOf,
  takeExchanges,
  type Chat,
  type Lab,
} from './support/lab.ts';
import { commonPrefix, median, MIB, quantile, type Figure } from './support/measure.ts';
import type { HubReady, SessionProcessOptions } from './support/session-process.ts';
import { workerConfig } from './support/worker-config.ts';

const ROUNDS = 30;
/** Processes, and tasks in each: the first of a process is cold, the next one warms up, the others are measured. */
const PROCESSES = 3;
const WARM_TASKS = 3;

type Sandbox = SessionProcessOptions['sandbox'];

interface Measured {
  /** Rounds of a bare client, in turns with the others. */
  bare: number[][];
  cold: number[][];
  warm: number[][];
  cpuMs: number[];
  peakRssBytes: number[];
  chats: Chat[];
}

export async function bench(): Promise<Figure[]> {
  const lab = await openLab({ rounds: ROUNDS }, 2);
  const idle = await openLab({ rounds: 0 }, 1);
  try {
    const off = await measure(lab, 'off');
    const on = await measure(lab, 'required').catch((error: unknown) => String(error));
    const cpuIdleMs = await cpuOfNoRounds(idle);
    const cpuPerRound = (median(off.cpuMs) - cpuIdleMs) / ROUNDS;
    return [
      ...roundFigures('sandbox off', off, ['< 1.5', '< 2']),
      ...roundFigures('sandbox on', on, ['< 1.4']),
      connectionFigure(off.chats),
      ...(await streamEndFigures('together')),
      ...(await streamEndFigures('never')),
      { name: 'harness: CPU per round, sandbox off', value: cpuPerRound, unit: 'ms', target: '< 5' },
      ...(await memoryFigures(lab, off)),
      ...(await requestFigures(lab, off.chats)),
    ];
  } finally {
    await lab.close();
    await idle.close();
  }
}

async function measure(lab: Lab, sandbox: Sandbox): Promise<Measured> {
  const measured: Measured = { bare: [], cold: [], warm: [], cpuMs: [], peakRssBytes: [], chats: [] };
  const repo = lab.repos.slice(0, 1);
  for (let process = 0; process < PROCESSES; process += 1) {
    const session = await openSession(lab, { sandbox });
    const bare = await startChild('support/bare-process', {
      modelUrl: lab.modelUrl,
      dir: repo[0] ?? '',
      sandbox,
    } satisfies BareOptions);
    try {
      const first = await session.run(repo);
      measured.chats = chatsOf(first.exchanges);
      measured.cold.push(gapsOf(measured.chats));
      measured.peakRssBytes.push(await session.peakRssBytes());
      await session.run(repo);
      for (let task = 0; task < WARM_TASKS; task += 1) {
        const { answer, exchanges } = await session.run(repo);
        measured.warm.push(gapsOf(chatsOf(exchanges)));
        measured.cpuMs.push(answer.cpuMs);
        await bare.ask({ kind: 'run' });
        measured.bare.push(gapsOf(chatsOf(await takeExchanges(lab))));
      }
    } finally {
      await bare.end();
      await session.child.end();
    }
  }
  return measured;
}

/** What a task costs that is answered at once: the rest of a task's CPU belongs to its rounds. */
async function cpuOfNoRounds(lab: Lab): Promise<number> {
  const session = await openSession(lab, { sandbox: 'off' });
  const cpuMs: number[] = [];
  for (let task = 0; task < 6; task += 1) cpuMs.push((await session.run(lab.repos)).answer.cpuMs);
  await session.child.end();
  return median(cpuMs.slice(1));
}

function roundFigures(
  which: string,
  measured: Measured | string,
  [middle, tail]: [middle: string, tail?: string],
): Figure[] {
  if (typeof measured === 'string')
    return [{ name: `harness: one round, ${which}`, value: null, unit: 'ms', note: measured }];
  const { bare, warm, cold } = measured;
  const of = (runs: number[][], share: number) => median(runs.map((gaps) => quantile(gaps, share)));
  const figure = (name: string, value: number, unit: string, target?: string): Figure => ({
    name: `harness: one round, ${which}, ${name}`,
    value,
    unit,
    ...(target && { target }),
  });
  return [
    figure('median', of(warm, 0.5), 'ms'),
    figure('p95', of(warm, 0.95), 'ms'),
    figure('median of a bare client', of(bare, 0.5), 'ms'),
    figure('p95 of a bare client', of(bare, 0.95), 'ms'),
    figure('median against the bare client', of(warm, 0.5) / of(bare, 0.5), '×', middle),
    figure('p95 against the bare client', of(warm, 0.95) / of(bare, 0.95), '×', tail),
    figure('median of a process’s first task', of(cold, 0.5), 'ms'),
    figure('p95 of a process’s first task', of(cold, 0.95), 'ms'),
  ];
}

/** A round with a server that ends its streams in another way than Ollama does. */
async function streamEndFigures(streamEnd: 'together' | 'never'): Promise<Figure[]> {
  const lab = await openLab({ rounds: ROUNDS, streamEnd });
  const session = await openSession(lab, { sandbox: 'off' });
  try {
    await session.run(lab.repos);
    const { exchanges } = await session.run(lab.repos);
    const value = quantile(gapsOf(chatsOf(exchanges)), 0.5);
    return [{ name: `harness: one round, streams end: ${streamEnd}, median`, value, unit: 'ms' }];
  } finally {
    await session.child.end();
    await lab.close();
  }
}

const connectionFigure = (chats: readonly Chat[]): Figure => ({
  name: `harness: connections for ${ROUNDS} rounds`,
  value: new Set(chats.map(({ connection }) => connection)).size,
  unit: '',
  target: '1',
});

async function memoryFigures(lab: Lab, { peakRssBytes }: Measured): Promise<Figure[]> {
  return [
    {
      name: 'harness: peak memory, hub and worker in one process',
      value: median(peakRssBytes) / MIB,
      unit: 'MiB',
      target: '< 150',
    },
    {
      name: 'harness: peak memory, worker alone',
      value: (await workerAlone(lab)) / MIB,
      unit: 'MiB',
      target: '< 90',
    },
  ];
}

/** Peak memory of the shipped worker, whose hub is in another process, after one task: of its second start and any later one. */
async function workerAlone(lab: Lab): Promise<number> {
  await startedWorker(lab);
  return await startedWorker(lab);
}

async function startedWorker(lab: Lab): Promise<number> {
  const base = { dir: lab.dir, modelUrl: lab.modelUrl, model: MODEL, sandbox: 'off' } as const;
  const hub = await startChild('support/session-process', { ...base, role: 'hub' });
  const { wsUrl, workerToken, agentId } = hub.ready as HubReady;
  const config = workerConfig(base, `worker-${hub.pid}`);
  const worker = startCliWorker(lab.dir, { ...config, hub: { url: wsUrl, agentId } }, workerToken);
  try {
    await sessionOf(lab, hub).run(lab.repos.slice(0, 1));
    return worker.memoryBytes('VmHWM');
  } finally {
    await worker.end();
    await hub.end();
  }
}

/** What is sent: sizes, ids, and what the server's prefix cache can use of it. */
async function requestFigures(lab: Lab, chats: readonly Chat[]): Promise<Figure[]> {
  const session = await openSession(lab, { sandbox: 'off' });
  const other = chatsOf((await session.run(lab.repos.slice(1, 2))).exchanges);
  await session.child.end();
  const mine = chats[0]?.chat.fixedPart ?? '';
  const shared = commonPrefix(mine, other[0]?.chat.fixedPart ?? '') / mine.length;
  const extended = chats.slice(1).map(({ chat }) => chat.extendsBefore ?? 0);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return [
    {
      name: 'harness: first request, all tools',
      value: chats[0]?.bodyBytes ?? null,
      unit: 'bytes',
      target: '< 5000',
    },
    {
      name: `harness: all requests of ${ROUNDS} rounds`,
      value: sum(chats.map(({ bodyBytes }) => bodyBytes)) / 1e6,
      unit: 'MB',
      target: '≤ 1.22',
    },
    {
      name: 'harness: call ids that the server did not give',
      value: sum(chats.map(({ chat }) => chat.callIds)),
      unit: '',
      target: '0',
    },
    {
      name: 'harness: share of a request that the next one begins with',
      value: Math.min(...extended) * 100,
      unit: '%',
      target: '100',
    },
    {
      name: 'harness: share of system prompt and tools that two repositories have in common',
      value: shared * 100,
      unit: '%',
      target: '100',
    },
  ];
}
