/** The typed library: what other programs may build on. */
import type { Hub, HubOptions } from './hub/hub.ts';

export { configSchema } from './config/schema.ts';
export * from './protocol/frames.ts';
export * from './protocol/events.ts';
export * from './protocol/failure-codes.ts';
export * from './protocol/limits.ts';
export * from './protocol/result.ts';
export * from './protocol/task.ts';
export { startScriptedModel } from './scripted-model/server.ts';
/** The embedded hub; loaded when it is first started. */
export const startHub = async (options?: HubOptions): Promise<Hub> =>
  (await import('./hub/hub.ts')).startHub(options);
export type { Hub, HubOptions } from './hub/hub.ts';
export { parseToolCalls } from './answers/parse-answer.ts';
export type { ParsedAnswer, ParsedCall, ParseMode } from './answers/result.ts';
export { OllamaExecutor } from './executors/ollama-executor.ts';
export type { ExecuteConfig, OllamaExecutorDeps } from './executors/ollama-executor.ts';
export { TaskControl } from './task/task-control.ts';
export { startWorker, type StartWorkerOptions } from './worker/worker.ts';
export type { Worker, WorkerEnd, WorkerState } from './worker/worker.ts';
export type * from './ports.ts';
