/**
 * What the way of a task costs beside its work: the worker's start until the hub knows it, an assignment until the
 * model is asked, a result until it is acknowledged, and what an idle worker weighs. Medians where things repeat.
 */
import { CleanupStack } from '../sidecar/system/cleanup-stack.ts';
import { sampleRepository } from '../test/support/sample-repository.ts';
import { openAssignments, openPlace, until, type Assigned } from './support/assignments.ts';
import { startCliWorker } from './support/cli-worker.ts';
import { MIB } from './support/measure.ts';

interface Figure {
  name: string;
  value: number;
  unit: string;
  target?: string;
}

const RUNS = 9;
const REPOSITORY_FILES = 1_000;

export async function bench(): Promise<Figure[]> {
  const cleanup = new CleanupStack();
  try {
    return [...(await starts(cleanup)), ...(await tasks(cleanup))];
  } finally {
    await cleanup.close();
  }
}

async function starts(cleanup: CleanupStack): Promise<Figure[]> {
  const { dir, hub, model, config } = await openPlace(cleanup);
  const times: number[] = [];
  const toModel: number[] = [];
  let idleMib = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const before = performance.now();
    const asked = model.requests.length;
    const worker = startCliWorker(dir, config, 'secret');
    await until(() => model.requests.length > asked);
    toModel.push(performance.now() - before);
    await until(() => hub.connections > 0);
    times.push(performance.now() - before);
    if (run === RUNS - 1) {
      await pause(3_000);
      idleMib = worker.memoryBytes('VmRSS') / MIB;
    }
    await worker.end();
  }
  return [
    { name: 'process start to identified', value: median(times), unit: 'ms', target: '< 400' },
    {
      name: '  of it: node, modules, configuration (the worker asks which models there are)',
      value: median(toModel),
      unit: 'ms',
    },
    { name: 'idle worker, resident memory', value: idleMib, unit: 'MB', target: '< 80' },
  ];
}

async function tasks(cleanup: CleanupStack): Promise<Figure[]> {
  const { dir, assign, acknowledgedMs } = await openAssignments(cleanup);
  const files = Object.fromEntries(
    Array.from({ length: REPOSITORY_FILES }, (_value, index) => [
      `src/${index % 20}/${index}.txt`,
      `${index}\n`,
    ]),
  );
  const repo = await sampleRepository(dir, files);
  const repeated = async (payload: object) => {
    const runs: Assigned[] = [];
    for (let run = 0; run <= RUNS; run += 1) runs.push(await assign(payload));
    // The first one loads the model, or fetches the repository.
    const counted = runs.slice(1);
    return {
      placedMs: median(counted.map(({ placedMs }) => placedMs)),
      askedMs: median(counted.map(({ askedMs }) => askedMs)),
    };
  };
  const placed = ({ placedMs }: { placedMs: number }) => ({
    name: '  of it: journal, folder, environment (the task asks which models there are)',
    value: placedMs,
    unit: 'ms',
  });
  const target = (limit: string) => ({ unit: 'ms', target: limit });
  const plain = await repeated({});
  const withWorktree = await repeated({ repo });
  return [
    { name: 'assignment to first question', value: plain.askedMs, ...target('< 30') },
    placed(plain),
    {
      name: `the same with a worktree of ${REPOSITORY_FILES} files`,
      value: withWorktree.askedMs,
      ...target('< 150'),
    },
    placed(withWorktree),
    { name: 'result to acknowledgement', value: median(acknowledgedMs), ...target('< 10') },
  ];
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const median = (times: number[]): number =>
  Math.round((times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0) * 10) / 10;
