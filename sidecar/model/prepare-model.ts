/**
 * Prepares a model for a task: describes it, pulls it if allowed, chooses the window, loads it with its own timeout,
 * and reads the loaded window.
 */
import type { Clock } from '../base/ports.ts';
import { chooseNumCtx, chooseToolMode, buildOptions } from './call-options.ts';
import type { ToolMode } from './call-options.ts';
import type { CatalogEntry } from './catalog.ts';
import type { ChatOutcome, ModelDetails, ModelFailure, ModelServer } from './chat.ts';
import { isSameModel } from './choose-model.ts';
import type { StatusEmitter, OnSlot } from './status-emitter.ts';
import { formatRetry, runWithRetries, type ServerHold } from './retry.ts';
import type { Outcome } from '../base/values/outcome.ts';

/** The part of `config.ollama` that a session needs. */
export interface SessionLimits {
  autoPull: boolean;
  requestTimeoutMs: number;
  loadTimeoutMs: number;
  firstTokenTimeoutMs: number;
  betweenTokensTimeoutMs: number;
  maxContextTokens: number;
  streamAgentic: boolean;
}

export interface PreparedModel {
  /** The window of every call, in tokens. */
  numCtx: number;
  capabilities: string[];
  toolMode: ToolMode;
  details: ModelDetails;
  /** The entry, refined by the server's report. */
  entry: CatalogEntry;
}

/** Dependencies and settings that preparing and calling a model share. */
export interface SessionContext {
  server: ModelServer;
  model: string;
  entry: CatalogEntry;
  /** Returns the entry refined by the server's report; if absent, `entry` is used unchanged. */
  refineEntry?: (details: ModelDetails) => CatalogEntry;
  limits: SessionLimits;
  configuredToolMode?: ToolMode | 'auto';
  clock: Clock;
  signal?: AbortSignal;
  /** Returns the jitter of a pause, from 0 to 1; for tests. */
  random?: () => number;
  /** Holds calls while the server is down; if undefined, such a call fails. */
  hold?: ServerHold;
  statusEmitter: StatusEmitter;
}

/** Runs a call with retries, and emits a status for each retry. */
export const retryCall = async <O extends Outcome<unknown, ModelFailure>>(
  { clock, signal, random, statusEmitter, hold }: SessionContext,
  attempt: (previous: ModelFailure | undefined) => Promise<O>,
): Promise<O> =>
  await runWithRetries(attempt, {
    clock,
    signal,
    random,
    ...(hold && { hold }),
    onRetry: (failure, retry) => statusEmitter.emitStatus(formatRetry(failure, retry)),
  });

/** Describes the model by `/api/show`, after a pull if it is missing and may be pulled; fixes the task's parameters. */
export async function describeModel(context: SessionContext): Promise<Outcome<PreparedModel, ModelFailure>> {
  const { server, model, limits, statusEmitter } = context;
  const describe = async () => await retryCall(context, async () => await server.show(model, context.signal));
  let description = await describe();
  if (!description.ok && description.failure.code === 'model_not_found') {
    const pullOutcome = await pullMissingModel(context, description.failure);
    if (!pullOutcome.ok) return pullOutcome;
    description = await describe();
  }
  if (!description.ok) return description;
  const details = description.value;
  if (details.capabilities.length > 0 && !details.capabilities.includes('completion')) {
    const message = `model ${model} cannot chat (its capabilities: ${details.capabilities.join(', ')}); choose another model`;
    return { ok: false, failure: { code: 'model_cannot_chat', message, retryable: false } };
  }
  const entry = context.refineEntry?.(details) ?? context.entry;
  // The demo's scripted model describes itself and is in no catalog.
  if (!entry.isKnown && !model.startsWith('scripted:')) {
    const size =
      details.parameterSize === undefined ? 'models of unknown size' : `its size (${details.parameterSize})`;
    statusEmitter.emitStatus(`The catalog has no entry for ${model}: using the settings for ${size}`);
  }
  const numCtx = chooseNumCtx(limits.maxContextTokens, entry, details.contextLength);
  const toolMode = chooseToolMode(context.configuredToolMode, entry, details);
  return { ok: true, value: { numCtx, capabilities: details.capabilities, toolMode, details, entry } };
}

/** Pulls a missing model if allowed, else returns a failure with the installed models. */
export async function pullMissingModel(
  context: SessionContext,
  notFound: ModelFailure,
): Promise<Outcome<true, ModelFailure>> {
  if (context.limits.autoPull) return await pullModel(context);
  const installed = await context.server.list(context.signal);
  if (!installed.ok) return { ok: false, failure: notFound };
  const names = installed.value.map(({ name }) => name).join(', ') || 'none';
  return { ok: false, failure: { ...notFound, message: `${notFound.message} (installed: ${names})` } };
}

const PULL_STEP_PERCENT = 10;

async function pullModel({
  server,
  model,
  signal,
  statusEmitter,
}: SessionContext): Promise<Outcome<true, ModelFailure>> {
  statusEmitter.emitStatus(`Pulling ${model}`);
  let emittedPercent = 0;
  const stop = statusEmitter.repeatStatus(`Pulling ${model}`);
  const onPercent = (percent: number): void => {
    if (percent < emittedPercent + PULL_STEP_PERCENT && percent !== 100) return;
    emittedPercent = percent;
    statusEmitter.emitStatus(`Pulling ${model}: ${percent} %`);
  };
  const pullOutcome = await server.pull(model, { signal, onPercent });
  stop();
  return pullOutcome;
}

/** Loads the model by a request without messages, with the load timeout. */
export async function loadModel(
  context: SessionContext,
  numCtx: number,
  onSlot: OnSlot,
): Promise<ChatOutcome> {
  const { server, model, entry, limits, signal } = context;
  const outcome = await server.chat(
    {
      model,
      messages: [],
      stream: false,
      keepAlive: entry.keepAlive,
      options: buildOptions('agentic', false, entry, numCtx),
    },
    { signal, timeoutMs: limits.loadTimeoutMs, onSlot },
  );
  return outcome.ok ? outcome : { ok: false, failure: convertLoadFailure(outcome.failure, context) };
}

/** Converts the failure of a load to one that names the model. */
function convertLoadFailure(failure: ModelFailure, { model, limits }: SessionContext): ModelFailure {
  if (failure.code === 'model_timeout') {
    const seconds = Math.round(limits.loadTimeoutMs / 1000);
    const message = `${model} was not loaded within ${seconds} s (ollama.loadTimeoutMs)`;
    // A load that timed out will not be faster the next time.
    return { ...failure, code: 'model_load_failed', message, retryable: false };
  }
  if (failure.code !== 'model_server_error') return failure;
  return { ...failure, code: 'model_load_failed', message: `${model} cannot be loaded: ${failure.message}` };
}

/** Returns the window in tokens that the server loaded, if it reports one. */
export async function readLoadedWindow({
  server,
  model,
  signal,
}: SessionContext): Promise<number | undefined> {
  const loaded = await server.listLoaded(signal);
  return loaded.ok ? loaded.value.find(({ name }) => isSameModel(name, model))?.contextLength : undefined;
}
