/**
 * Runs the calls of one round: every call gets exactly one result, what the
 * journal knows is not run again, and the timeline shows each start and end.
 */
import type { OnProgress } from '../ports.ts';
import type { ReadyModel } from '../asking/models/task-models.ts';
import type { TaskRun } from '../task/task-run.ts';
import { scaleLimits, type ToolLimits } from '../tools/truncation.ts';
import { INTERRUPTED_TEXT } from '../prompt/loop-messages.ts';
import { prepareArguments } from '../tools/arguments.ts';
import { dispatchToolCalls, type DispatchOptions } from '../tools/dispatch.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { PlanSink, PlanUpdate, ToolCallRequest, ToolCallResult } from '../tools/types.ts';
import type { AnswerCall } from '../asking/conversation.ts';
import type { Checkpoint, FinishedCall, PlannedCall } from '../task/checkpoint.ts';
import type { KnownFiles } from './known-files.ts';
import { toolFinishedEvent, toolStartedEvent } from './tool-events.ts';

export interface Tooling {
  registry: ToolRegistry;
  /** Learns from each result, and is asked by the tools that change files. */
  files: KnownFiles;
  /** Says why a command must not run. */
  refuseCommand: DispatchOptions['refuseCommand'];
  plan?: PlanSink;
}

/** A round of calls in a stage, from 1. */
interface Round {
  checkpoint: Checkpoint;
  round: number;
}

export class ToolRunner {
  readonly #run: TaskRun;
  readonly #model: ReadyModel;
  readonly #tooling: Tooling;
  readonly #used = new Set<string>();

  constructor(run: TaskRun, model: ReadyModel, tooling: Tooling) {
    this.#run = run;
    this.#model = model;
    this.#tooling = tooling;
  }

  get registry(): ToolRegistry {
    return this.#tooling.registry;
  }

  /** Characters that one result may have at most, where a small window sets that. */
  get maxOutputChars(): number | undefined {
    return this.#limits().maxOutputChars;
  }

  /** For each round: the window that is really loaded is known only after the first answer. */
  #limits(): ToolLimits {
    const { session, estimator } = this.#model;
    const { outputLimits, lineLimits } = this.#run.config.tools;
    return scaleLimits(session.windowTokens, estimator.charsPerToken, {
      toolOutputLimits: outputLimits,
      toolLineLimits: lineLimits,
    });
  }

  /** The tool's own name for what a model called it; a name of no tool stays as it is. */
  nameOf(name: string): string {
    return this.registry.get(name)?.name ?? name;
  }

  /** The first call, where it has effects: its intent is written together with the answer. */
  firstIntent(calls: readonly AnswerCall[]): PlannedCall | undefined {
    const first = calls[0];
    return first && this.hasEffects(first.name)
      ? { index: 0, name: first.name, args: first.arguments }
      : undefined;
  }

  /** Runs a round; results come in the order of the calls. Rejects only when the journal cannot be written. */
  async run(calls: readonly AnswerCall[], round: Round): Promise<ToolCallResult[]> {
    const requests = calls.map((call, index) => this.#request(call, index));
    const past = requests.map((request, index) =>
      remembered(request, round.checkpoint.pastCall(round.round, index)),
    );
    requests.forEach((request, index) => this.#updatePlanAgain(request, past[index]));
    for (const result of past) if (result) this.#tooling.files.learn(result);
    const fresh = await this.#dispatch(requests, past, round);
    for (const { toolName } of requests) this.#used.add(toolName);
    return requests.map(
      (request, index) =>
        past[index] ??
        fresh.get(request.toolCallId) ??
        withoutResult(request, `Tool error (${request.toolName}): the call gave no result`),
    );
  }

  /** Names of the tools that were called since this was last asked, those of an earlier run included. */
  takeUsedTools(): string[] {
    const used = [...this.#used];
    this.#used.clear();
    return used;
  }

  /** The plan is what its updates made of it: those of an earlier run are made again, which changes nothing twice. */
  #updatePlanAgain({ toolName, args }: ToolCallRequest, past: ToolCallResult | undefined): void {
    const { plan, registry } = this.#tooling;
    const tool = registry.get(toolName);
    if (!plan || tool?.changes !== 'plan' || !past || past.isError) return;
    const prepared = prepareArguments(tool, registry.argumentsOf(tool), args);
    // The tool's own schema has just accepted it.
    if (prepared.ok) plan.update(prepared.validated as PlanUpdate);
  }

  /**
   * Runs the calls that the journal does not know, and writes the round down as it happens: a call with effects is announced
   * before it runs, in one commit with what finished before it. A failing disk stops the call and is thrown at the end.
   */
  async #dispatch(
    requests: readonly ToolCallRequest[],
    past: readonly (ToolCallResult | undefined)[],
    { checkpoint, round }: Round,
  ): Promise<Map<string, ToolCallResult>> {
    const open = requests.filter((_request, index) => past[index] === undefined);
    if (open.length === 0) return new Map();
    const { registry, plan, refuseCommand, files } = this.#tooling;
    const { env, observer, trace, control, totals } = this.#run;
    const { name: model, entry } = this.#model;
    const emit: OnProgress = (event) => this.#run.emit({ model, ...event });
    const indexOf = (id: string): number => requests.findIndex(({ toolCallId }) => toolCallId === id);
    const finished: FinishedCall[] = [];
    let failure: unknown;
    const write = (intent?: PlannedCall): void => {
      try {
        checkpoint.recordStep(round, finished.splice(0), intent);
      } catch (error) {
        failure ??= error;
      }
    };
    for (const { toolName, args } of open) observer?.toolCall(toolName, args);
    const results = await dispatchToolCalls(open, registry, env, {
      parallel: entry.parallelToolCalls,
      signal: control.signal,
      limits: this.#limits(),
      plan,
      refuseCommand,
      files,
      onStart: (call) => {
        const index = indexOf(call.toolCallId);
        // The first call's intent is on disk already, written with the answer.
        if (index > 0 && this.hasEffects(call.toolName)) {
          write({ index, name: call.toolName, args: call.args });
          if (failure) throw failure;
        }
        emit(toolStartedEvent(call, totals.iterations));
      },
      onFinish: (result, call) => {
        files.learn(result);
        finished.push({ index: indexOf(result.toolCallId), result });
        observer?.toolResult(result.toolName, result.fullOutput);
        trace?.toolCall(result, registry.get(result.toolName) !== undefined);
        emit(toolFinishedEvent(call, result, totals.iterations));
      },
      onOutput: (_call, chunk) => emit({ event_type: chunk.stream, text: chunk.text }),
    });
    // Without effects the results wait for the next answer: those that are lost are asked for again.
    if (finished.some(({ result }) => this.hasEffects(result.toolName))) write();
    else checkpoint.deferResults(round, finished);
    if (failure) throw failure;
    return new Map(results.map((result) => [result.toolCallId, result]));
  }

  #request(call: AnswerCall, index: number): ToolCallRequest {
    const toolName = this.nameOf(call.name);
    const toolCallId = `${this.#run.totals.iterations}.${index + 1}`;
    return { toolCallId, toolName, args: call.arguments, ...(call.repaired && { repaired: true }) };
  }

  /**
   * A call of this tool may change something: it is announced in the journal before it runs. A plan's update is no
   * such call: it changes no file, and made twice it is made once.
   */
  hasEffects(name: string): boolean {
    const tool = this.registry.get(name);
    return tool !== undefined && !tool.readOnly && tool.changes !== 'plan';
  }

  /** A call of this tool is there to find something out, as far as is known before it runs; a command may be. */
  reads(name: string): boolean {
    const tool = this.registry.get(name);
    return tool !== undefined && tool.changes === undefined;
  }
}

/** The journal's record of a call: its result, or that its outcome is unknown. */
function remembered(
  request: ToolCallRequest,
  past: { intended: boolean; result?: ToolCallResult } | undefined,
): ToolCallResult | undefined {
  if (past?.result) return { ...past.result, toolCallId: request.toolCallId };
  return past?.intended ? withoutResult(request, INTERRUPTED_TEXT) : undefined;
}

const withoutResult = (request: ToolCallRequest, output: string): ToolCallResult => ({
  ...request,
  output,
  fullOutput: output,
  isError: true,
  durationMs: 0,
});
