/**
 * Runs the tool calls of one model answer. Every call has exactly one result, in the order of the calls, even if the tool is unknown, the
 * arguments are invalid, the tool throws, or the run is aborted. A call that writes waits for all calls before it, and later calls wait for
 * it.
 */
import { performance } from 'node:perf_hooks';
import { errorMessage } from '../base/values/errors.ts';
import type { ExecutionEnvironment, Logger } from '../base/ports.ts';
import { isFinishingName } from './aliases.ts';
import { prepareArguments } from './arguments.ts';
import type { ToolRegistry } from './registry.ts';
import { truncateToolOutput, type ToolLimits } from './truncation.ts';
import {
  buildRefusal,
  type RegisteredTool,
  type ToolCallRequest,
  type ToolCallResult,
  type ToolContext,
  type ToolOutput,
} from './types.ts';

export interface DispatchOptions {
  /** Whether consecutive read-only calls run concurrently (the catalog's `parallelToolCalls`). Default: no. */
  isParallel?: boolean;
  /** Stops running calls. Calls that have not started are skipped. */
  signal?: AbortSignal;
  /** How long to wait for a running tool after an abort. After this time, its call has a result that reports the abort. */
  abortGraceMs?: number;
  limits?: ToolLimits;
  plan?: ToolContext['plan'];
  refuseCommand?: ToolContext['refuseCommand'];
  files?: ToolContext['files'];
  /**
   * Called just before a call runs, with its canonical name and resolved arguments; not called for calls that cannot run. If it throws, the
   * call is not run and its result reports the error.
   */
  onStart?: (call: ToolCallRequest) => void;
  /**
   * Wraps the execution of a call: calls `execute`, which never rejects, or returns another output. If it throws, the result of the call
   * reports the error.
   */
  wrapCall?: (
    tool: RegisteredTool,
    call: ToolCallRequest,
    execute: () => Promise<ToolOutput>,
  ) => Promise<ToolOutput>;
  /** Called for every call as soon as its result is known. Errors of this function are only logged. */
  onFinish?: (result: ToolCallResult, call: ToolCallRequest) => void;
  /** Called with output of a running call. Errors of this function are only logged. */
  onOutput?: (call: ToolCallRequest, chunk: { stream: 'stdout' | 'stderr'; text: string }) => void;
  logger?: Logger;
}

/** Maximum number of concurrent calls, because a degenerate answer contains hundreds of calls. */
const MAX_CONCURRENT_CALLS = 16;
/** Default of `abortGraceMs`. A shell command needs at most two seconds to end. */
const DEFAULT_ABORT_GRACE_MS = 5_000;

/** Runs the calls and returns their results in the order of `calls`. Never rejects for an expected failure. */
export async function dispatchToolCalls(
  calls: readonly ToolCallRequest[],
  registry: ToolRegistry,
  env: ExecutionEnvironment,
  options: DispatchOptions = {},
): Promise<ToolCallResult[]> {
  const dispatcher = new ToolDispatcher(registry, env, options);
  const results: ToolCallResult[] = [];
  for (const group of groupCalls(calls, registry, options.isParallel ?? false)) {
    const settled = await Promise.allSettled(group.map((call) => dispatcher.run(call)));
    for (const outcome of settled) {
      if (outcome.status === 'rejected') throw outcome.reason;
      results.push(outcome.value);
    }
  }
  return results;
}

/** Groups calls in order: consecutive read-only calls, which may run concurrently, form a group; every other call is alone in a group. */
function groupCalls(
  calls: readonly ToolCallRequest[],
  registry: ToolRegistry,
  parallel: boolean,
): ToolCallRequest[][] {
  const result: ToolCallRequest[][] = [];
  let openGroup: ToolCallRequest[] | undefined;
  for (const call of calls) {
    const isReadOnly = parallel && registry.get(call.toolName)?.readOnly === true;
    if (isReadOnly && openGroup && openGroup.length < MAX_CONCURRENT_CALLS) openGroup.push(call);
    else result.push((openGroup = [call]));
    if (!isReadOnly) openGroup = undefined;
  }
  return result;
}

class ToolDispatcher {
  readonly #registry: ToolRegistry;
  readonly #env: ExecutionEnvironment;
  readonly #options: DispatchOptions;
  readonly #signal: AbortSignal;

  constructor(registry: ToolRegistry, env: ExecutionEnvironment, options: DispatchOptions) {
    this.#registry = registry;
    this.#env = env;
    this.#options = options;
    this.#signal = options.signal ?? new AbortController().signal;
  }

  /** Runs one call: finds the tool, validates the arguments, executes the tool, truncates its output, and notifies the listeners. */
  async run(call: ToolCallRequest): Promise<ToolCallResult> {
    const startMs = performance.now();
    const tool = this.#registry.get(call.toolName);
    const { output, request } = tool
      ? await this.#prepareAndExecute(tool, call)
      : { output: buildRefusal(describeUnknownTool(call.toolName, this.#registry)), request: call };
    const result = this.#buildResult(request, output, performance.now() - startMs);
    this.#notify('onFinish', () => this.#options.onFinish?.(result, request));
    return result;
  }

  async #prepareAndExecute(
    tool: RegisteredTool,
    call: ToolCallRequest,
  ): Promise<{ output: ToolOutput; request: ToolCallRequest }> {
    const canonicalCall = { ...call, toolName: tool.name };
    const prepared = prepareArguments(tool, this.#registry.argumentsOf(tool), call.args);
    if (!prepared.ok) return { output: buildRefusal(prepared.message), request: canonicalCall };
    const repaired = call.repaired === true || prepared.repaired;
    const request = { ...canonicalCall, args: prepared.args, ...(repaired && { repaired }) };
    if (prepared.ignoredNames.length > 0)
      this.#options.logger?.info(
        { toolName: tool.name, ignored: prepared.ignoredNames },
        'Unknown arguments of a tool call were ignored',
      );
    if (this.#signal.aborted)
      return { output: buildRefusal(`${tool.name} was not run: the task was stopped`), request };
    return { output: await this.#execute(tool, request, prepared.validated), request };
  }

  async #execute(tool: RegisteredTool, request: ToolCallRequest, validated: unknown): Promise<ToolOutput> {
    const { onOutput, onStart, wrapCall, plan, refuseCommand, files, limits } = this.#options;
    const context: ToolContext = {
      env: this.#env,
      signal: this.#signal,
      emit: (chunk) => this.#notify('onOutput', () => onOutput?.(request, chunk)),
      plan,
      refuseCommand,
      files,
      maxOutputChars: limits?.maxOutputChars,
    };
    const toErrorOutput = (error: unknown): ToolOutput =>
      buildRefusal(`Tool error (${tool.name}): ${errorMessage(error)}`);
    // The registry holds tools of many argument types; the schema of this tool has just accepted `validated`.
    const execute = (): Promise<ToolOutput> =>
      this.#waitUnlessAborted(tool.name, tool.execute(validated as never, context)).catch(toErrorOutput);
    try {
      onStart?.(request);
      return await (wrapCall ? wrapCall(tool, request, execute) : execute());
    } catch (error) {
      return toErrorOutput(error);
    }
  }

  /** Waits for a tool to end. After an abort, waits no longer than the grace period. */
  async #waitUnlessAborted(name: string, running: Promise<ToolOutput>): Promise<ToolOutput> {
    const { abortGraceMs = DEFAULT_ABORT_GRACE_MS } = this.#options;
    const finished = new AbortController();
    const graceOutput = new Promise<ToolOutput>((resolve) => {
      const resolveUnknown = () =>
        resolve(
          buildRefusal(
            `Tool error (${name}): the task was stopped during this call; the outcome of the call is unknown`,
          ),
        );
      const onAbort = (): void => {
        const timer = setTimeout(resolveUnknown, abortGraceMs);
        finished.signal.addEventListener('abort', () => clearTimeout(timer));
      };
      if (this.#signal.aborted) onAbort();
      else this.#signal.addEventListener('abort', onAbort, { signal: finished.signal });
    });
    try {
      return await Promise.race([running, graceOutput]);
    } finally {
      finished.abort();
    }
  }

  #buildResult(request: ToolCallRequest, output: ToolOutput, durationMs: number): ToolCallResult {
    const { text, details, isError } = typeof output === 'string' ? { text: output } : output;
    const { toolCallId, toolName } = request;
    const result: ToolCallResult = {
      toolCallId,
      toolName,
      output: truncateToolOutput(text, toolName, {
        ...this.#options.limits,
        declaredLimit: this.#registry.get(toolName)?.output,
      }),
      fullOutput: text,
      isError: isError ?? false,
      durationMs,
    };
    if (details) result.details = details;
    return result;
  }

  /** Calls a listener. An error of the listener is logged and never affects the call. */
  #notify(name: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#options.logger?.warn({ error, listener: name }, 'A listener of tool calls failed');
    }
  }
}

const describeUnknownTool = (name: string, registry: ToolRegistry): string => {
  const finish = isFinishingName(name) ? '. When all is done, answer without calling a tool.' : '';
  return `Unknown tool: ${name}. Available: ${registry.names().join(', ')}${finish}`;
};
