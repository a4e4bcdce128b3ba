/**
 * What every stage with tools is made of, whether one loop does the task or one loop each step: the tools, the people
 * who may be asked, and how a conversation is set up.
 */
import { deniedReason } from '../../environment/deny-list.ts';
import { createToolRegistry } from '../../tools/registry.ts';
import { scaleLimits } from '../../tools/truncation.ts';
import type { PlanSink } from '../../tools/types.ts';
import type { ConversationOptions } from '../asking/conversation.ts';
import type { ReadyModel } from '../models/ready-model.ts';
import type { TaskRun } from '../task/task-run.ts';
import { Approvals } from './approvals.ts';
import { ToolRunner } from './tool-runner.ts';

export interface AgentSetup {
  readonly tools: ToolRunner;
  readonly approvals: Approvals;
  readonly conversation: ConversationOptions;
}

/** `plan`: where `update_plan` writes; without it that tool says that there is no plan. */
export function setUpAgent(run: TaskRun, model: ReadyModel, plan?: PlanSink): AgentSetup {
  const registry = run.registry ?? createToolRegistry();
  const { entry, session, estimator, toolMode } = model;
  const { outputLimits, lineLimits } = run.config.tools;
  const approvals = new Approvals(run);
  const tools = new ToolRunner({
    registry,
    env: run.env,
    emit: run.emit,
    observer: run.observer,
    trace: run.trace,
    parallel: entry.parallelToolCalls,
    limits: () =>
      scaleLimits(session.windowTokens, estimator.charsPerToken, {
        toolOutputLimits: outputLimits,
        toolLineLimits: lineLimits,
      }),
    plan,
    refuseCommand: (command) => {
      const refusal = deniedReason(command);
      return refusal === undefined ? undefined : approvals.command(command, refusal);
    },
  });
  const conversation = {
    mode: toolMode,
    definitions: registry.definitions(),
    extraPrompt: entry.prompt,
    approval: approvals.offersQuestions,
  };
  return { tools, approvals, conversation };
}
