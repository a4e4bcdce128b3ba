/** The typed library: what other programs may build on. */
import type { Hub, HubOptions } from './hub/hub.ts';

export { configSchema } from './base/config/schema.ts';
export * from './base/protocol/frames.ts';
export * from './base/protocol/events.ts';
export * from './base/protocol/failure-codes.ts';
export * from './base/protocol/limits.ts';
export * from './base/protocol/result.ts';
export * from './base/protocol/task.ts';
export { startScriptedModel } from './model/scripted/server.ts';
/** The embedded hub; loaded when it is first started. */
export const startHub = async (options?: HubOptions): Promise<Hub> =>
  (await import('./hub/hub.ts')).startHub(options);
export type { Hub, HubOptions } from './hub/hub.ts';
export { parseToolCalls } from './parsing/answers/parse-answer.ts';
export type { ParsedAnswer, ParsedCall, ParseMode } from './parsing/answers/parsed-answer.ts';
export { OllamaExecutor } from './solving/executors/ollama-executor.ts';
export type { ExecuteConfig, OllamaExecutorDeps } from './solving/executors/ollama-executor.ts';
export { TaskControl } from './solving/task/task-control.ts';
export { startWorker, type StartWorkerOptions } from './worker/start-worker.ts';
export type { Worker, WorkerEnd, WorkerState } from './worker/start-worker.ts';
export type * from './base/ports.ts';
