/**
 * Makes the worker observable: metrics and health, served if `observability.port` is set, and traces, sent if there is a collector. The
 * modules are loaded only if needed.
 */
import { removeCredentials } from '../base/addresses/credentials.ts';
import type { CleanupStack } from '../base/system/cleanup-stack.ts';
import type { Config } from '../base/config/schema.ts';
import type { CostLedger } from './ledger/cost-ledger.ts';
import type { HubLink } from './hub-link/hub-link.ts';
import type { Scheduler, ServerState } from '../model/servers/scheduler.ts';
import type { SecretMasker } from '../base/observability/secrets.ts';
import type { Clock, Logger } from '../base/ports.ts';
import type { Outbox } from '../base/storage/outbox.ts';
import type { ActiveTasks } from './active-tasks.ts';
import type { WorkerState } from './worker.ts';
import type { TaskTracer } from './traces.ts';
import type { Telemetry } from '../solving/run-ports.ts';

export interface TelemetrySources {
  config: Config;
  masker: SecretMasker;
  clock: Clock;
  logger: Logger;
  active: ActiveTasks;
  outbox: Outbox;
  ledger: CostLedger;
  scheduler: Pick<Scheduler, 'serverStates' | 'servers'>;
  explainNotReady: () => string | undefined;
  link: Pick<HubLink, 'hub'>;
}

export interface WorkerTelemetry {
  telemetry?: Telemetry;
  tracer?: TaskTracer;
  /** Counts the connections and records the worker's state at each change. */
  onState: (state: WorkerState) => void;
}

/** Opens metrics and traces. Rejects with the code `observability_address` if the port cannot be opened. */
export async function openWorkerTelemetry(
  parts: TelemetrySources,
  opened: CleanupStack,
): Promise<WorkerTelemetry> {
  const tracer = await openTracing(parts, opened);
  return { onState: () => undefined, ...(await openMetrics(parts, opened)), ...(tracer && { tracer }) };
}

/** Opens traces. Returns undefined if no endpoint is set or traces cannot be sent, which does not prevent tasks. */
async function openTracing(
  { config, masker, clock, logger }: TelemetrySources,
  opened: CleanupStack,
): Promise<TaskTracer | undefined> {
  const { otlpEndpoint: endpoint } = config.observability;
  if (endpoint === undefined) return undefined;
  const { agentId: workerId } = config.hub;
  try {
    const { openTraces } = await import('./traces.ts');
    const traces = openTraces({ endpoint, workerId }, { clock, logger, masker });
    opened.add(() => traces.close());
    logger.info({ collector: new URL(endpoint).host }, 'Sending traces');
    return traces;
  } catch (error) {
    logger.warn({ err: error }, 'Traces cannot be sent');
    return undefined;
  }
}

async function openMetrics(
  parts: TelemetrySources,
  opened: CleanupStack,
): Promise<Omit<WorkerTelemetry, 'tracer'> | undefined> {
  const { host, port, allowedHosts } = parts.config.observability;
  if (port === undefined) return undefined;
  const [{ createWorkerMetrics }, { startHealthServer }] = await Promise.all([
    import('./worker-metrics.ts'),
    import('./health-server.ts'),
  ]);
  const { active, outbox, logger, scheduler } = parts;
  const { servers } = scheduler;
  let connections = 0;
  let workerState: WorkerState = 'starting';
  const metrics = createWorkerMetrics({
    tasksRunning: () => active.runningCount,
    tasksQueued: () => active.list().filter(({ state }) => state === 'queued').length,
    outboxDepth: () => outbox.size,
    modelServers: () => scheduler.serverStates.map(hideServerPassword),
    callsOnHold: () => servers.onHoldCount,
    reconnectCount: () => Math.max(0, connections - 1),
    budgetsLeft: () => computeRemainingBudgets(parts),
  });
  const server = await startHealthServer(
    {
      state: () => workerState,
      explainNotReady: parts.explainNotReady,
      explainNoTasks: () => parts.link.hub.noTasksReason,
      notice: () => parts.link.hub.notice,
      modelServers: () =>
        scheduler.serverStates
          .map(hideServerPassword)
          .map(({ url, downReason }) => ({ url, away: downReason })),
      metrics: () => metrics.renderText(),
    },
    { host, port, allowedHosts },
  );
  opened.add(() => server.close());
  logger.info({ url: server.url }, 'Serving /healthz, /readyz and /metrics');
  return {
    telemetry: metrics,
    onState: (state) => {
      if (state === 'ready') connections += 1;
      workerState = state;
    },
  };
}

/** Hides the password that an address may hold. */
const hideServerPassword = (state: ServerState): ServerState => ({
  ...state,
  url: removeCredentials(state.url),
});

function computeRemainingBudgets({
  config,
  ledger,
}: TelemetrySources): { scope: string; unit: string; left: number }[] {
  const { hour, day } = ledger.readWindows();
  const { perHour, perDay } = config.budgets;
  return [...remainingBudgetsOf('hour', perHour, hour), ...remainingBudgetsOf('day', perDay, day)];
}

function remainingBudgetsOf(
  scope: string,
  limits: Config['budgets']['perDay'],
  used: { tokens: number; usd: number; gpu_seconds: number },
): { scope: string; unit: string; left: number }[] {
  const units = [
    ['tokens', limits?.maxTokens, used.tokens],
    ['usd', limits?.maxUsd, used.usd],
    ['gpu_seconds', limits?.maxGpuSeconds, used.gpu_seconds],
  ] as const;
  return units.flatMap(([unit, limit, spent]) =>
    limit === undefined ? [] : [{ scope, unit, left: Math.max(0, limit - spent) }],
  );
}
