/**
 * The whole system for a test: a real hub, a scripted model, workers, all on loopback in one process, with folders of
 * their own; everything is closed and removed at the end.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CleanupStack } from '../../sidecar/base/system/cleanup-stack.ts';
import {
  createHubClient,
  type HubClient,
  type HubEvent,
  type TaskDetail,
} from '../../sidecar/hub/client/hub-client.ts';
import { configSchema, type ConfigInput } from '../../sidecar/base/config/schema.ts';
import { startHub, type Hub, type HubOptions } from '../../sidecar/hub/hub.ts';
import type { Clock } from '../../sidecar/base/ports.ts';
import type { TaskResult } from '../../sidecar/base/protocol/result.ts';
import type { TaskInput } from '../../sidecar/base/protocol/task.ts';
import { holdsInFreshClone } from './fresh-clone.ts';
import { loopAlone } from './loop-alone.ts';
import { silentLogger } from '../../sidecar/base/observability/silent-logger.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { startScriptedModel, type ScriptedModelServer } from '../../sidecar/model/scripted/server.ts';
import { startWorker } from '../../sidecar/worker/start-worker.ts';
import type { Worker } from '../../sidecar/worker/start-worker.ts';

export interface TestSystem {
  dir: string;
  hub: Hub;
  model: ScriptedModelServer;
  client: HubClient;
  /** Starts a worker; its state folder is `<dir>/<name>`. */
  worker(name: string, config?: ConfigInput, clock?: Clock): Promise<Worker>;
  /** Submits a task for the scripted model `m` and waits for its end; what is verified must hold in a fresh clone. */
  finish(task: Record<string, unknown>): Promise<TaskDetail>;
  /** Waits for the end of a task; `heard` is given each of its events until then, from the first one on. */
  untilEnded(taskId: string, heard?: (event: HubEvent) => void | Promise<void>): Promise<TaskDetail>;
  /** Waits for an event of a task, or finds it among those that were. */
  untilEvent(taskId: string, wanted: (body: HubEvent['body']) => boolean): Promise<void>;
  /** Asks the hub as its operator, with POST where there is a body; rejects unless it succeeds. */
  api(path: string, body?: object): Promise<unknown>;
  /** A person's answer to an approval request. */
  answer(taskId: string, answer: { approval_id: string; decision: string; text?: string }): Promise<void>;
  cleanup: CleanupStack;
}

const ENDED = new Set(['success', 'partial', 'dead_letter', 'cancelled']);

/** Starts hub and model. Call `cleanup.close()` at the end. */
export async function startSystem(scenario: ScenarioInput, hubOptions: HubOptions = {}): Promise<TestSystem> {
  const cleanup = new CleanupStack();
  const dir = await mkdtemp(join(tmpdir(), 'sidecar-system-'));
  // A process that a killed worker started may still write for a moment.
  cleanup.add(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const model = await startScriptedModel({ scenario: { models: [{ name: 'm' }], ...scenario } });
  cleanup.add(() => model.close());
  const hub = await startHub({ maxAttempts: 1, ...hubOptions });
  cleanup.add(() => hub.close());
  const client = createHubClient({ url: hub.url, token: hub.tokens.admin });
  const watch = async (taskId: string, isLast: (event: HubEvent) => boolean | Promise<boolean>) => {
    const watching = new AbortController();
    for await (const event of client.events(taskId, { signal: watching.signal })) {
      if (await isLast(event)) break;
    }
    watching.abort();
  };
  const untilEnded: TestSystem['untilEnded'] = async (taskId, heard) => {
    await watch(taskId, async (event) => {
      await heard?.(event);
      return event.kind === 'task' && ENDED.has(String(event.body.status));
    });
    return client.task(taskId);
  };
  const api: TestSystem['api'] = async (path, body) => {
    const response = await fetch(`${hub.url}${path}`, {
      headers: { authorization: `Bearer ${hub.tokens.admin}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  return {
    dir,
    hub,
    model,
    client,
    cleanup,
    untilEnded,
    untilEvent: (taskId, wanted) => watch(taskId, ({ body }) => wanted(body)),
    api,
    async worker(name, config = {}, clock) {
      const token = await hub.issueToken('worker', name);
      const parsed = configSchema.parse({
        ...loopAlone,
        ...config,
        sandbox: { mode: 'off', ...config.sandbox },
      });
      const started = await startWorker({
        config: {
          ...parsed,
          hub: { ...parsed.hub, url: hub.wsUrl, agentId: name, token },
          ollama: { ...parsed.ollama, url: model.url },
          model: { ...parsed.model, default: config.model?.default ?? 'm' },
          worker: { ...parsed.worker, stateDir: join(dir, name), dataDir: join(dir, 'data') },
        },
        logger: silentLogger,
        ...(clock && { clock }),
      });
      if (!started.ok) throw new Error(`${started.failure.code}: ${started.failure.message}`);
      cleanup.add(() => started.value.stop());
      return started.value;
    },
    async answer(taskId, answer) {
      await api(`/api/tasks/${taskId}/approvals`, answer);
    },
    async finish(task) {
      const submitted = await client.submit({ description: 'Do it', ...task });
      const ended = await untilEnded(submitted.task_id);
      const { repo, verification_steps: checks } = task as Partial<TaskInput>;
      if (ended.result && typeof repo === 'string')
        holdsInFreshClone(ended.result as TaskResult, repo, checks);
      return ended;
    },
  };
}
