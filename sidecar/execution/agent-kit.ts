/**
 * What every attempt with tools is made of, whether one loop does the task or one loop each step: the tools, the
 * people who may be asked, how a conversation is set up and how it opens.
 */
import { deniedReason } from '../environment/deny-list.ts';
import type { ChatMessage } from '../model/chat.ts';
import type { RunObserver, TaskJournal, TaskWorkspace } from '../ports.ts';
import { gatherContext } from '../prompt/gather-context.ts';
import { buildTaskMessage } from '../prompt/task-message.ts';
import { createToolRegistry } from '../tools/registry.ts';
import { scaleLimits } from '../tools/truncation.ts';
import type { PlanSink } from '../tools/types.ts';
import { Approvals } from './approvals.ts';
import type { AskBase } from './ask.ts';
import type { AttemptParts } from './attempt-parts.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { ConversationOptions } from './conversation.ts';
import type { OpenedModel } from './open-model.ts';
import { ToolRunner } from './tool-runner.ts';

export interface AgentKit {
  tools: ToolRunner;
  approvals: Approvals;
  conversation: ConversationOptions;
}

export function agentKit(
  parts: AttemptParts,
  { base, entry, toolMode }: OpenedModel,
  { journal, plan }: { journal?: TaskJournal; plan?: PlanSink },
): AgentKit {
  const { settings, env, emit, task, control } = parts;
  const registry = settings.registry ?? createToolRegistry();
  const { outputLimits, lineLimits } = settings.config.tools;
  const approvals = new Approvals({
    task,
    policies: settings.config.approval,
    askPerson: settings.askPerson,
    control,
    clock: settings.clock,
    emit,
    journal,
  });
  const tools = new ToolRunner({
    registry,
    env,
    emit,
    observer: base.observer,
    trace: parts.config.trace,
    parallel: entry.parallelToolCalls,
    limits: () =>
      scaleLimits(base.session.windowTokens, base.estimator.charsPerToken, {
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

/**
 * The task's own message. What it shows of the workspace is taken once and kept in the journal (round 0 of the
 * checkpoint), so that a resumed task says the same.
 */
export async function openingMessage(
  base: AskBase,
  { env, settings, workspace }: AttemptParts,
  checkpoint: Checkpoint,
): Promise<{ text: string; isNew: boolean }> {
  const [past] = checkpoint.inputs(0, () => []);
  if (past !== undefined) return { text: past, isNew: false };
  const context = await gatherContext(base.task, env, settings.config.prompt);
  const fresh = buildTaskMessage(base.task, {
    ...context,
    branch: workspace.branch,
    submodules: workspace.submodules,
    windowTokens: base.session.windowTokens,
    charsPerToken: base.estimator.charsPerToken,
  });
  checkpoint.inputs(0, () => [fresh]);
  return { text: fresh, isNew: true };
}

/**
 * What the stall guard compares; undefined where nothing is to change. Told against its base: a workspace that was
 * opened anew after a crash may begin from another.
 */
export function contentOf(
  { limits }: AskBase,
  workspace: TaskWorkspace,
): (() => Promise<string>) | undefined {
  if (limits.readOnly) return undefined;
  return async () => `${workspace.baseCommit} ${await workspace.fingerprint()}`;
}

/** Tells the observer what stands in a conversation before the first answer. */
export function hearAll(messages: readonly ChatMessage[], observer: RunObserver | undefined): void {
  for (const { role, content } of messages) observer?.said(role === 'system' ? 'SYSTEM' : 'USER', content);
}
