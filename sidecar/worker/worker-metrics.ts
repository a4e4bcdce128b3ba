/**
 * The worker's metrics for Prometheus. Names begin with `sidecar_`; labels have few values, never task ids or paths.
 * Loaded only if `observability.port` is set.
 */
import { Counter, Histogram, Registry } from 'prom-client';
import type { ServerState } from '../model/servers/scheduler.ts';
import type { TaskResult } from '../base/protocol/result.ts';
import type { ExecutionEvent } from '../base/protocol/events.ts';
import {
  addGauge,
  addLabelledMetric,
  getProcessMetrics,
  type Exposition,
  type ValueSetter,
} from '../base/observability/prometheus.ts';
import type { Telemetry } from '../solving/run-ports.ts';

/** Sources of the values read at each scrape. */
export interface WorkerGauges {
  tasksRunning: () => number;
  tasksQueued: () => number;
  outboxDepth: () => number;
  reconnectCount: () => number;
  /** The model servers; their addresses contain no password. */
  modelServers: () => readonly ServerState[];
  /** Number of calls that wait for a model server that is down. */
  callsOnHold: () => number;
  /** The remaining amount of each configured budget, by scope and unit. */
  budgetsLeft: () => { scope: string; unit: string; left: number }[];
}

export interface WorkerMetrics extends Telemetry {
  renderText(): Promise<Exposition>;
}

const TOOL_SECONDS_BUCKETS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300];
const TASK_SECONDS_BUCKETS = [1, 5, 15, 60, 180, 600, 1800];
const ITERATION_BUCKETS = [1, 2, 4, 8, 12, 16, 20, 30];
/** Maximum number of tool names that are counted separately, since a model may call tools by any invented name. */
const MAX_TOOL_NAMES = 64;

/** Creates a separate registry, so that several workers can run in one process. */
export function createWorkerMetrics(gauges: WorkerGauges): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  addGauges(gauges, registers);
  const counters = createCounters(registers);
  const toolNames = new Set<string>();
  const mergedRegistry = Registry.merge([getProcessMetrics(), registry]);
  return {
    countAnswer: (layer) => counters.answers.inc({ layer }),
    countEvent: (event) => countToolCall(event, counters, toolNames),
    countEndedTask(outcome, result) {
      counters.tasks.inc({ outcome, reason: result?.termination_reason ?? 'none' });
      if (!result) return;
      counters.iterations.observe(result.iterations_used);
      counters.taskSeconds.observe(result.execution_ms / 1000);
      counters.tokens.inc({ direction: 'in', model: result.model_used }, result.tokens_in);
      counters.tokens.inc({ direction: 'out', model: result.model_used }, result.tokens_out);
      addModelUse(result, counters);
    },
    renderText: async () => ({ contentType: registry.contentType, body: await mergedRegistry.metrics() }),
  };
}

type TaskCounters = ReturnType<typeof createCounters>;

function createCounters(registers: Registry[]) {
  const createCounter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const createHistogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, buckets, registers });
  return {
    tasks: createCounter('sidecar_tasks_total', 'Tasks that ended', ['outcome', 'reason']),
    iterations: createHistogram('sidecar_task_iterations', 'Model answers per task', ITERATION_BUCKETS),
    taskSeconds: createHistogram('sidecar_task_seconds', 'Duration of a task', TASK_SECONDS_BUCKETS),
    tokens: createCounter('sidecar_tokens_total', 'Tokens of ended tasks', ['direction', 'model']),
    promptTokens: createCounter(
      'sidecar_prompt_tokens_total',
      'Prompt tokens of ended tasks, by source: read by the model, or from its cache',
      ['from', 'model'],
    ),
    modelSeconds: createCounter(
      'sidecar_model_seconds_total',
      'Time of model calls of ended tasks, by phase: waiting for a slot, loading, reading, writing',
      ['phase', 'model'],
    ),
    answers: createCounter(
      'sidecar_answers_total',
      'Model answers by the parser layer that read them, including malformed and empty answers',
      ['layer'],
    ),
    toolCalls: createCounter('sidecar_tool_calls_total', 'Tool calls that ended', ['tool', 'success']),
    toolSeconds: new Histogram({
      name: 'sidecar_tool_seconds',
      help: 'Duration of a tool call',
      labelNames: ['tool'],
      buckets: TOOL_SECONDS_BUCKETS,
      registers,
    }),
  };
}

function countToolCall(event: ExecutionEvent, counters: TaskCounters, names: Set<string>): void {
  if (event.event_type !== 'tool_call' || event.phase !== 'finished') return;
  const name = event.tool_name ?? 'unknown';
  if (names.size < MAX_TOOL_NAMES) names.add(name);
  const tool = names.has(name) ? name : 'other';
  counters.toolCalls.inc({ tool, success: String(event.success ?? false) });
  counters.toolSeconds.observe({ tool }, (event.duration_ms ?? 0) / 1000);
}

function addModelUse(
  { model_use: use, model_used: model, tokens_in: tokensIn }: TaskResult,
  counters: TaskCounters,
): void {
  if (!use) return;
  counters.promptTokens.inc({ from: 'reading', model }, use.tokens_read);
  counters.promptTokens.inc({ from: 'cache', model }, Math.max(0, tokensIn - use.tokens_read));
  for (const phase of ['waiting', 'loading', 'reading', 'writing'] as const)
    counters.modelSeconds.inc({ phase, model }, use[`${phase}_ms`] / 1000);
}

function addGauges(gauges: WorkerGauges, registers: Registry[]): void {
  addGauge(registers, 'sidecar_tasks_running', 'Tasks that are running', gauges.tasksRunning);
  addGauge(registers, 'sidecar_tasks_queued', 'Accepted tasks that wait to start', gauges.tasksQueued);
  addGauge(
    registers,
    'sidecar_outbox_depth',
    'Results that the hub has not acknowledged',
    gauges.outboxDepth,
  );
  const reconnectsHelp = 'Reconnections to the hub';
  addLabelledMetric(registers, 'sidecar_reconnects_total', reconnectsHelp, [], (set) =>
    set({}, gauges.reconnectCount()),
  );
  const awayHelp = 'Model servers that are down';
  const countAway = () => gauges.modelServers().filter(({ downReason }) => downReason !== undefined).length;
  addGauge(registers, 'sidecar_model_servers_away', awayHelp, countAway);
  addGauge(
    registers,
    'sidecar_calls_held',
    'Model calls on hold because a model server is down',
    gauges.callsOnHold,
  );
  const setForServers = (valueOf: (server: ServerState) => number) => (set: ValueSetter) => {
    for (const server of gauges.modelServers()) set({ url: server.url }, valueOf(server));
  };
  for (const [name, help, valueOf] of SERVER_GAUGES)
    addLabelledMetric(registers, name, help, ['url'], setForServers(valueOf));
  for (const [name, help, valueOf] of SERVER_TOTALS)
    addLabelledMetric(registers, name, help, ['url'], setForServers(valueOf));
  const leftHelp = 'Remaining budget of the current hour or day';
  addLabelledMetric(registers, 'sidecar_budget_left', leftHelp, ['scope', 'unit'], (set) => {
    for (const { scope, unit, left: value } of gauges.budgetsLeft()) set({ scope, unit }, value);
  });
}

type ServerMetric = [name: string, help: string, valueOf: (server: ServerState) => number];

const SERVER_GAUGES: readonly ServerMetric[] = [
  [
    'sidecar_model_server_up',
    '1 while the model server answers, 0 while it is down',
    ({ downReason }) => (downReason === undefined ? 1 : 0),
  ],
  [
    'sidecar_model_slots',
    'Slots of the model server: how many calls it answers in parallel',
    ({ slots }) => slots,
  ],
  [
    'sidecar_model_calls_running',
    'Calls that occupy a slot of the model server',
    ({ runningCount }) => runningCount,
  ],
  [
    'sidecar_model_calls_waiting',
    'Calls that wait for a slot of the model server',
    ({ waitingCount }) => waitingCount,
  ],
];

const SERVER_TOTALS: readonly ServerMetric[] = [
  [
    'sidecar_model_busy_seconds_total',
    'Total time that calls have occupied slots since the worker started',
    ({ busyMs }) => busyMs / 1_000,
  ],
  [
    'sidecar_model_loads_total',
    'Model loads since the worker started, including swaps',
    ({ loadCount }) => loadCount,
  ],
];
