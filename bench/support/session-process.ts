/**
 * Hub and worker in one process, as `run` starts them, or the hub alone. Tasks are given through the hub's API and followed
 * through its event stream.
 */
import { mkdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createHubClient, type HubClient } from '../../sidecar/hub/client/hub-client.ts';
import { configSchema } from '../../sidecar/base/config/schema.ts';
import { createLogger } from '../../sidecar/base/observability/logger.ts';
import { createSecretMasker } from '../../sidecar/base/observability/secrets.ts';
import { answerQuestions } from './child.ts';
import { workerConfig, type WorkerOptions } from './worker-config.ts';

export interface SessionProcessOptions extends WorkerOptions {
  /** `hub`: no worker. */
  role: 'both' | 'hub';
  /** `user`: a worker that runs on after its tasks, and retains their trees. Default: `temporary`. */
  state?: 'user' | 'temporary';
}

/** What a hub in a process of its own says when it is ready. */
export interface HubReady {
  wsUrl: string;
  workerToken: string;
  agentId: string;
}

export interface RunQuestion {
  kind: 'run';
  /** One task each, all at the same time. */
  repos: string[];
  maxIterations: number;
  /** Default: a question about the files. */
  task?: { description: string; metadata?: object };
  /** Looks at the event loop every 5 ms, which costs a busy process some of its time. */
  watchesLoop?: boolean;
}

export interface RunAnswer {
  /** Termination reasons in the order of `repos`. */
  endings: string[];
  /** Since the epoch, with fractions. */
  startedMs: number;
  wallMs: number;
  /** CPU of this process alone, in milliseconds; commands are not in it. */
  cpuMs: number;
  /** Delay of the event loop beyond its due time; zeros where it was not watched. */
  loopDelayMs: { p50: number; p99: number; max: number };
}

export interface MemoryAnswer {
  peakRssBytes: number;
}

const AGENT = 'bench';
const options = JSON.parse(process.argv[2] ?? '{}') as SessionProcessOptions;
const { ready, client, close } = await open();
answerQuestions(
  ready,
  async (asked) => {
    const question = asked as RunQuestion | { kind: 'memory' };
    return question.kind === 'run' ? await run(client, question) : memory();
  },
  close,
);

async function open(): Promise<{ ready: object; client: HubClient; close: () => Promise<void> }> {
  if (options.role === 'hub') {
    const { startHub } = await import('../../sidecar/hub/hub.ts');
    const logger = await createLogger({ level: 'error', masker: createSecretMasker() });
    const hub = await startHub({ logger, maxAttempts: 1 });
    const workerToken = await hub.issueToken('worker', AGENT);
    return {
      ready: { wsUrl: hub.wsUrl, workerToken, agentId: AGENT } satisfies HubReady,
      client: createHubClient({ url: hub.url, token: hub.tokens.admin }),
      close: () => hub.close(),
    };
  }
  const { startLocalSession } = await import('../../sidecar/cli/local-session.ts');
  const config = configSchema.parse(workerConfig(options, String(process.pid)));
  mkdirSync(config.worker.stateDir ?? options.dir, { recursive: true });
  const { state = 'temporary' } = options;
  const session = await startLocalSession({ config, logLevel: 'error', state, workerId: AGENT, port: 0 });
  return { ready: {}, client: session.client, close: () => session.close() };
}

async function run(
  client: HubClient,
  { repos, maxIterations, task, watchesLoop = false }: RunQuestion,
): Promise<RunAnswer> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  if (watchesLoop) delay.enable();
  const endings = await Promise.all(repos.map((repo) => runTask(client, repo, maxIterations, task)));
  delay.disable();
  const used = process.cpuUsage(cpu);
  const overdueMs = (ns: number) => (watchesLoop ? Math.max(0, ns / 1e6 - 5) : 0);
  return {
    endings,
    startedMs: performance.timeOrigin + startedMs,
    wallMs: performance.now() - startedMs,
    cpuMs: (used.user + used.system) / 1000,
    loopDelayMs: {
      p50: overdueMs(delay.percentile(50)),
      p99: overdueMs(delay.percentile(99)),
      max: overdueMs(delay.max),
    },
  };
}

const ENDED = new Set(['success', 'partial', 'dead_letter', 'cancelled']);

async function runTask(
  client: HubClient,
  repo: string,
  maxIterations: number,
  { description, metadata }: NonNullable<RunQuestion['task']> = {
    description: `Read the files of ${repo}`,
    metadata: { read_only: true },
  },
): Promise<string> {
  const { task_id: id } = await client.submit({
    description,
    repo,
    agentic: true,
    max_attempts: 1,
    metadata: { ...metadata, max_iterations: maxIterations },
  });
  const watching = new AbortController();
  for await (const { kind, body } of client.events(id, { signal: watching.signal })) {
    if (kind === 'task' && ENDED.has(String(body.status))) break;
  }
  watching.abort();
  const task = await client.task(id);
  return task.termination_reason ?? `${task.status}: ${task.error ?? ''}`;
}

function memory(): MemoryAnswer {
  // Kilobytes on every system that Node runs on.
  return { peakRssBytes: process.resourceUsage().maxRSS * 1024 };
}
