/**
 * The interfaces that the run of a task requires from the program that starts it: ledger, session log, metrics, traces.
 * `worker/` and `cli/` supply them.
 */
import type { EndedToolCall, OnProgress } from '../base/ports.ts';
import type { ExecutionEvent } from '../base/protocol/events.ts';
import type { TaskResult } from '../base/protocol/result.ts';
import type { Task } from '../base/protocol/task.ts';
import type { ModelServer } from '../model/chat.ts';
import type { CallCost } from '../model/call-cost.ts';

/** The cost ledger, implemented by `CostLedger`. */
export interface Ledger {
  /** Reserves the estimate, or returns the exhausted budget. Never throws; under 50 µs. */
  check(call: LedgerEstimate): { ok: true; reservation: Reservation } | { ok: false; exhausted: Exhausted };
  /** Replaces the reservation by the real cost. Call once; later calls are ignored. */
  settle(reservation: Reservation, actual: CallCost): { costUsd: number };
  readTaskTotals(taskId: string): LedgerTotals;
}
export interface LedgerEstimate {
  taskId: string;
  model: string;
  iteration: number;
  tokensIn: number;
  tokensOut: number;
  gpuSeconds?: number;
  /** The task's own limits. The stricter of these and of the configured limits apply. */
  budget?: { max_tokens?: number; max_usd?: number; max_gpu_seconds?: number };
}
export interface Reservation {
  readonly id: number;
}
export interface Exhausted {
  scope: 'task' | 'hour' | 'day' | 'model';
  unit: 'tokens' | 'usd' | 'gpu_seconds';
  limit: number;
  used: number;
  /** Milliseconds since the epoch when spending is possible again; undefined for a task's own budget. */
  freesAtMs?: number;
}
export interface LedgerTotals {
  calls: number;
  tokensIn: number;
  tokensOut: number;
  gpuSeconds: number;
  costUsd: number;
}

/** Observer of the whole conversation of a run. Never throws, never blocks. */
export interface RunObserver {
  recordMessage(type: 'SYSTEM' | 'USER' | 'AGENT', text: string): void;
  /** Records a call as the model made it, before its arguments are resolved. */
  recordToolCall(name: string, args: unknown): void;
  /** Records the whole output of a call. */
  recordToolResult(name: string, fullOutput: string): void;
  /** Writes the record to disk in the background. */
  recordRoundEnd(): void;
}

/** The session log of one task on disk. Never rejects: a disk failure is logged and the work continues. */
export interface RunSession {
  readonly observer: RunObserver;
  /** Path of the plan's document. */
  readonly planFile: string;
  /** Masks the secrets that this process knows. */
  maskDeep<T>(value: T): T;
  /** Returns the server with its calls recorded. */
  record(server: ModelServer): ModelServer;
  /** Records the model and the commit at which the work began, once they are known. */
  recordFacts(facts: { model?: string; baseCommit?: string }): void;
  /** Records the end of the task. `result`: undefined if this program failed; the task may then be resumed later. */
  end(result?: TaskResult): Promise<void>;
}

/** Counters of events for metrics. Never throws, never blocks. */
export interface Telemetry {
  /** Counts an answer by the parser's layer that read it, or as `final_answer`, `malformed`, `empty`, … */
  countAnswer(layer: string): void;
  countEvent(event: ExecutionEvent): void;
  /** Counts an ended task. `result`: undefined if the task failed before it began or was cancelled. */
  countEndedTask(outcome: string, result?: TaskResult): void;
}

/** The trace of one attempt at a task. Never throws, never blocks. */
export interface TaskTrace {
  /** Returns the server with its calls traced; `baseUrl` is its address. */
  traceServer(server: ModelServer, baseUrl: string): ModelServer;
  /** Records an ended call. `known`: whether the tool exists. */
  recordToolCall(call: EndedToolCall, known: boolean): void;
  /** Ends the trace. `error`: reason for the failure of the attempt, in words. */
  end(ending: { outcome: string; generation: number; result?: TaskResult; error?: string }): void;
}

/** An executor of tasks, such as `OllamaExecutor` and `ShellExecutor`. Never rejects for an expected failure. */
export interface TaskExecutor<C = unknown> {
  execute(task: Task, config: C, onProgress: OnProgress): Promise<TaskResult>;
}
