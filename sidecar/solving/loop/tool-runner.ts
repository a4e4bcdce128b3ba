/**
 * Runs the calls of one round. Every call gets exactly one result. Calls with effects outside the tree run at most once in a task. The
 * timeline shows the start and the end of each call.
 */
import type { OnProgress } from '../../base/ports.ts';
import { shellTool } from '../../tools/shell.ts';
import type { ReadyModel } from '../model-calls/models/task-models.ts';
import type { TaskRun } from '../task/task-run.ts';
import { scaleLimits, type ToolLimits } from '../../tools/truncation.ts';
import { INTERRUPTED_TEXT } from '../prompt/loop-messages.ts';
import { dispatchToolCalls } from '../../tools/dispatch.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import {
  buildRefusal,
  type PlanSink,
  type RegisteredTool,
  type ToolCallRequest,
  type ToolCallResult,
} from '../../tools/types.ts';
import type { AnswerCall } from '../model-calls/conversation.ts';
import { runCall } from '../task/outside-call.ts';
import { findDenialReason } from '../../workspace/commands/deny-list.ts';
import type { Approvals } from '../task/approvals.ts';
import type { KnownFiles } from './known-files.ts';
import { createFinishedEvent, createStartedEvent } from './tool-events.ts';

export interface ToolRunnerOptions {
  registry: ToolRegistry;
  /** Files that results have shown to the model. Tools that change files read them. */
  files: KnownFiles;
  /** Approvals, through which the user answers the model's questions and allows dangerous commands. */
  approvals: Approvals;
  plan?: PlanSink;
}

export class ToolRunner {
  readonly #run: TaskRun;
  readonly #model: ReadyModel;
  readonly #options: ToolRunnerOptions;
  readonly #usedTools = new Set<string>();

  constructor(run: TaskRun, model: ReadyModel, tooling: ToolRunnerOptions) {
    this.#run = run;
    this.#model = model;
    this.#options = tooling;
  }

  get registry(): ToolRegistry {
    return this.#options.registry;
  }

  get files(): KnownFiles {
    return this.#options.files;
  }

  get approvals(): Approvals {
    return this.#options.approvals;
  }

  /** Maximum length of one result, in characters; undefined if the context window is large enough. */
  get maxOutputChars(): number | undefined {
    return this.#computeLimits().maxOutputChars;
  }

  /** Computes the limits of tool output for each round, since the loaded window is known only after the first answer. */
  #computeLimits(): ToolLimits {
    const { session, estimator } = this.#model;
    const { outputLimits, lineLimits } = this.#run.config.tools;
    return scaleLimits(session.windowTokens, estimator.charsPerToken, {
      toolOutputLimits: outputLimits,
      toolLineLimits: lineLimits,
    });
  }

  /** Returns the tool's own name for the name in a call; returns an unknown name unchanged. */
  resolveToolName(name: string): string {
    return this.registry.get(name)?.name ?? name;
  }

  /** Runs the calls of a round. The results are in the order of the calls. Rejects only on a storage error. */
  async run(calls: readonly AnswerCall[]): Promise<ToolCallResult[]> {
    const requests = calls.map((call, index) => this.#buildRequest(call, index));
    const { registry, plan, files, approvals } = this.#options;
    const { env, observer, trace, control, totals } = this.#run;
    const { name: model, entry } = this.#model;
    const emit: OnProgress = (event) => this.#run.emit({ model, ...event });
    let failure: unknown;
    for (const { toolName, args } of requests) observer?.recordToolCall(toolName, args);
    const results = await dispatchToolCalls(requests, registry, env, {
      isParallel: entry.parallelToolCalls,
      signal: control.signal,
      limits: this.#computeLimits(),
      plan,
      refuseCommand: (command) => {
        const refusal = findDenialReason(command);
        return refusal === undefined ? undefined : approvals.approveCommand(command, refusal);
      },
      files,
      onStart: (call) => emit(createStartedEvent(call, totals.iterations)),
      wrapCall: async (tool, { args }, execute) => {
        try {
          if (tool.readOnly) return await execute();
          const call = { name: tool.name, args };
          const output = await runCall(this.#run, call, this.#mayAffectOutside(tool), execute);
          return output ?? buildRefusal(INTERRUPTED_TEXT);
        } catch (error) {
          failure ??= error;
          throw error;
        }
      },
      onFinish: (result, call) => {
        files.recordResult(result);
        observer?.recordToolResult(result.toolName, result.fullOutput);
        trace?.recordToolCall(result, registry.get(result.toolName) !== undefined);
        emit(createFinishedEvent(call, result, totals.iterations));
      },
      onOutput: (_call, chunk) => emit({ event_type: chunk.stream, text: chunk.text }),
    });
    if (failure) throw failure;
    for (const { toolName } of requests) this.#usedTools.add(toolName);
    return results;
  }

  /** Returns the names of the tools that were called since the last call of this method. */
  takeUsedTools(): string[] {
    const used = [...this.#usedTools];
    this.#usedTools.clear();
    return used;
  }

  #buildRequest(call: AnswerCall, index: number): ToolCallRequest {
    const toolName = this.resolveToolName(call.name);
    const toolCallId = `${this.#run.totals.iterations}.${index + 1}`;
    return { toolCallId, toolName, args: call.arguments, ...(call.repaired && { repaired: true }) };
  }

  /** Returns whether a call of this tool may change anything other than the plan. */
  hasEffects(name: string): boolean {
    const tool = this.registry.get(name);
    return tool !== undefined && !tool.readOnly && tool.changes !== 'plan';
  }

  /** Returns whether effects of this tool may leave the tree. A command in a sandbox without network access has no such effects. */
  #mayAffectOutside({ readOnly, changes, name }: RegisteredTool): boolean {
    if (readOnly || changes !== undefined) return false;
    return name !== shellTool.name || this.#run.commandsAffectOutside;
  }

  /** Returns whether a call of this tool may turn out to only read, as far as known before the call. Commands are included. */
  mayRead(name: string): boolean {
    const tool = this.registry.get(name);
    return tool !== undefined && tool.changes === undefined;
  }
}
