/** The typed library: what other programs may build on. */
export { configSchema } from './config/schema.ts';
export * from './protocol/frames.ts';
export * from './protocol/events.ts';
export * from './protocol/limits.ts';
export * from './protocol/result.ts';
export * from './protocol/task.ts';
export { startScriptedModel } from './scripted-model/server.ts';
export { buildSystemPrompt } from './prompt/system-prompt.ts';
export { buildTaskMessage } from './prompt/task-message.ts';
export { createToolRegistry } from './tools/registry.ts';
export { dispatchToolCalls } from './tools/dispatch.ts';
export { truncateChars, truncateLines, truncateToolOutput } from './tools/truncation.ts';
export { ModelCatalog } from './model/catalog.ts';
export { parsePlan } from './plan/parse.ts';
export { serializePlan } from './plan/serialize.ts';
