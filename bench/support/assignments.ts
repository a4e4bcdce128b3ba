/** A worker in this process, a hub that gives it tasks, and a model that answers at once: how long an assignment takes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configSchema } from '../../sidecar/config/schema.ts';
import type { ConfigInput } from '../../sidecar/config/schema.ts';
import { silentLogger } from '../../sidecar/observability/silent-logger.ts';
import type { Logger } from '../../sidecar/ports.ts';
import { startScriptedModel } from '../../sidecar/scripted-model/server.ts';
import type { CleanupStack } from '../../sidecar/system/cleanup-stack.ts';
import { systemClock } from '../../sidecar/system/clock.ts';
import { startWorker } from '../../sidecar/worker/worker.ts';
import { HubDouble } from '../../test/support/hub-double.ts';

const MAX_WAIT_MS = 300_000;

/** A hub, a model and a configuration for a worker of it. */
export async function openPlace(cleanup: CleanupStack) {
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

/** Milliseconds after the assignment. */
export interface Assigned {
  /** The task asks which models there are: journal, folder and environment are ready. */
  placedMs: number;
  /** The first question reached the model. */
  askedMs: number;
}

/** Starts the worker. `assign` gives it one task and waits for its end; `acknowledgedMs` are times from results to their acknowledgements. */
export async function openAssignments(cleanup: CleanupStack) {
  const { dir, hub, model, config } = await openPlace(cleanup);
  const parsed = configSchema.parse(config);
  const { logger, times } = acknowledgements();
  const started = await startWorker({
    config: { ...parsed, hub: { ...parsed.hub, token: 'secret' } },
    logger,
  });
  if (!started.ok) throw new Error(started.failure.message);
  cleanup.add(() => started.value.stop());
  let count = 0;
  const assign = async (payload: object): Promise<Assigned> => {
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
    await until(() => hub.tasks.get(id)?.status === 'completed' && started.value.load.taken === 0);
    return { placedMs, askedMs };
  };
  return { dir, assign, acknowledgedMs: times };
}

/** Times from a result that is on disk to its acknowledgement, by what the worker logs of the two. */
function acknowledgements(): { logger: Logger; times: number[] } {
  const times: number[] = [];
  let endedMs = 0;
  const info = (_fields: object, message: string) => {
    if (message === 'Task ended') endedMs = performance.now();
    else if (message === 'The hub has the result') times.push(performance.now() - endedMs);
  };
  const logger: Logger = { ...silentLogger, info, child: () => logger };
  return { logger, times };
}

const hasMessages = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'messages' in body && (body.messages as unknown[]).length > 0;

/** Looks again and again, so that the time is exact. Throws after five minutes. */
export async function until(condition: () => boolean): Promise<void> {
  const giveUpMs = performance.now() + MAX_WAIT_MS;
  while (!condition()) {
    if (performance.now() > giveUpMs) throw new Error('waited five minutes in vain');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
