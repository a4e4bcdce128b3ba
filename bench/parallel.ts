/**
 * Several tasks at once in one worker, each with 30 rounds of `cat`: rounds a second, what the process itself takes for
 * one (a task's beginning and end spread over its rounds), and how late the event loop is.
 */
import { openLab, openSession, type Lab } from './support/lab.ts';
import { median, type Figure } from './support/measure.ts';
import type { RunAnswer } from './support/session-process.ts';

const ROUNDS = 30;
const RUNS = 3;

export async function bench(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const lab = await openLab({ rounds: ROUNDS }, 8);
  try {
    for (const sandbox of ['off', 'required'] as const)
      for (const tasks of [1, 4, 8])
        figures.push(
          ...(await measure(lab, sandbox, tasks).catch((error: unknown) => failed(sandbox, tasks, error))),
        );
    return figures;
  } finally {
    await lab.close();
  }
}

async function measure(lab: Lab, sandbox: 'off' | 'required', tasks: number): Promise<Figure[]> {
  const session = await openSession(lab, { sandbox, concurrency: tasks });
  const answers: RunAnswer[] = [];
  try {
    for (let run = 0; run <= RUNS; run += 1)
      answers.push((await session.run(lab.repos.slice(0, tasks), { watchesLoop: true })).answer);
  } finally {
    await session.child.end();
  }
  const warm = answers.slice(1);
  const middle = (of: (answer: RunAnswer) => number) => median(warm.map(of));
  const name = nameOf(sandbox, tasks);
  return [
    { name: `${name}, rounds`, value: middle(({ wallMs }) => (tasks * ROUNDS * 1000) / wallMs), unit: '/s' },
    { name: `${name}, CPU of a round`, value: middle(({ cpuMs }) => cpuMs / (tasks * ROUNDS)), unit: 'ms' },
    {
      name: `${name}, event loop late, p50`,
      value: middle(({ loopDelayMs }) => loopDelayMs.p50),
      unit: 'ms',
    },
    {
      name: `${name}, event loop late, p99`,
      value: middle(({ loopDelayMs }) => loopDelayMs.p99),
      unit: 'ms',
    },
  ];
}

const nameOf = (sandbox: string, tasks: number) =>
  `parallel: ${tasks} ${tasks === 1 ? 'task' : 'tasks'}, sandbox ${sandbox === 'off' ? 'off' : 'on'}`;

const failed = (sandbox: string, tasks: number, error: unknown): Figure[] => [
  { name: nameOf(sandbox, tasks), value: null, unit: '/s', note: String(error) },
];
