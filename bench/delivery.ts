/**
 * What the way of a task costs beside its work: the worker's start until the hub knows it, an assignment until the
 * model is asked, a result until it is acknowledged, and what an idle worker weighs. Medians where things repeat.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CleanupStack } from '../sidecar/base/system/cleanup-stack.ts';
import { systemClock } from '../sidecar/base/system/clock.ts';
import { configSchema } from '../sidecar/base/config/schema.ts';
import type { ConfigInput } from '../sidecar/base/config/schema.ts';
import type { Logger } from '../sidecar/base/ports.ts';
import { startScriptedModel } from '../sidecar/model/scripted/server.ts';
import { startWorker } from '../sidecar/worker/start-worker.ts';
import { HubDouble } from '../test/support/hub-double.ts';
import { sampleRepository } from '../test/support/sample-repository.ts';
import { silentLogger } from '../sidecar/base/observability/silent-logger.ts';
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

/** A hub, a model and a configuration for a worker of it. */
async function place(cleanup: CleanupStack) {
  const dir = mkdtempSync(join(tmpdir(), 'sidecar-bench-'));
  cleanup.add(() => rmSync(dir, { recursive: true, force: true }));
  const hub = new HubDouble(systemClock);
  hub.features = { limits: { framesPerMinute: 60_000 } };
  await hub.listen();
  cleanup.add(() => hub.kill());
  const model = await startScriptedModel({
    scenario: { models: [{ name: 'm' }], turns: [{ reply: { content: 'Done.' } }] },
  });
  cleanup.add(() => model.close());
  const config: ConfigInput = {
    hub: { url: hub.url, agentId: 'worker-1' },
    ollama: { url: model.url },
    model: { default: 'm' },
    sandbox: { mode: 'off' },
    observability: { logLevel: 'warn' },
    worker: { stateDir: join(dir, 'state'), dataDir: join(dir, 'data') },
  };
  return { dir, hub, model, config };
}

async function starts(cleanup: CleanupStack): Promise<Figure[]> {
  const { dir, hub, model, config } = await place(cleanup);
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
  const { dir, hub, model, config } = await place(cleanup);
  const parsed = configSchema.parse(config);
  const { logger, times } = acknowledgements();
  const started = await startWorker({
    config: { ...parsed, hub: { ...parsed.hub, token: 'secret' } },
    logger,
  });
  if (!started.ok) throw new Error(started.failure.message);
  cleanup.add(() => started.value.stop());
  const files = Object.fromEntries(
    Array.from({ length: REPOSITORY_FILES }, (_value, index) => [
      `src/${index % 20}/${index}.txt`,
      `${index}\n`,
    ]),
  );
  const repo = await sampleRepository(dir, files);
  let count = 0;
  const toFirstRequest = async (payload: object) => {
    const asked = () => model.requests.filter(({ body }) => hasMessages(body)).length;
    const [id, askedBefore] = [`task-${(count += 1)}`, asked()];
    const requestsBefore = model.requests.length;
    // The hub's bucket is not what is measured.
    hub.drainBucket('worker-1', 60);
    const before = performance.now();
    hub.submit(id, payload);
    await until(() => model.requests.length > requestsBefore);
    const placedMs = performance.now() - before;
    await until(() => asked() > askedBefore);
    const askedMs = performance.now() - before;
    await until(() => hub.tasks.get(id)?.status === 'completed' && started.value.taskCounts.unfinished === 0);
    return { placedMs, askedMs };
  };
  const repeated = async (payload: object) => {
    const runs: { placedMs: number; askedMs: number }[] = [];
    for (let run = 0; run <= RUNS; run += 1) runs.push(await toFirstRequest(payload));
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
    { name: 'result to acknowledgement', value: median(times), ...target('< 10') },
  ];
}

/** Times from a result that is on disk to its acknowledgement, by what the worker logs of the two. */
function acknowledgements(): { logger: Logger; times: number[] } {
  const times: number[] = [];
  let endedMs = 0;
  const info = (_fields: object, message: string) => {
    if (message === 'Task ended') endedMs = performance.now();
    else if (message === 'The hub acknowledged the result') times.push(performance.now() - endedMs);
  };
  const logger: Logger = { ...silentLogger, info, child: () => logger };
  return { logger, times };
}

const hasMessages = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'messages' in body && (body.messages as unknown[]).length > 0;

async function until(condition: () => boolean): Promise<void> {
  const giveUpMs = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > giveUpMs) throw new Error('waited a minute in vain');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const median = (times: number[]): number =>
  Math.round((times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0) * 10) / 10;
