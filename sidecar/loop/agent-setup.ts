/**
 * The parts of every stage with tools, whether one loop does the task or one loop each step: the tools, the people
 * who may be asked, and how a conversation is set up.
 */
import { deniedReason } from '../commands/deny-list.ts';
import { createToolRegistry, type ToolRegistry } from '../tools/registry.ts';
import type { PlanSink, RegisteredTool } from '../tools/types.ts';
import type { ConversationOptions } from '../asking/conversation.ts';
import type { ReadyModel } from '../asking/models/task-models.ts';
import type { TaskRun } from '../task/task-run.ts';
import { Approvals } from './approvals.ts';
import { KnownFiles } from './known-files.ts';
import { ToolRunner } from './tool-runner.ts';

/** An answer that calls no tool and changes nothing is met with what is wanted so often in a task. */
const MAX_REMINDERS = 2;
export const newReminders = (): { left: number } => ({ left: MAX_REMINDERS });

export interface AgentSetup {
  readonly tools: ToolRunner;
  /** The files that the model knows; all loops of the task share them. */
  readonly files: KnownFiles;
  readonly approvals: Approvals;
  readonly conversation: ConversationOptions;
}

export interface AgentSetupOptions {
  /** Where the plan's tool writes; without it that tool says that there is no plan. */
  plan?: PlanSink;
}

export function setUpAgent(run: TaskRun, model: ReadyModel, { plan }: AgentSetupOptions = {}): AgentSetup {
  const { toolset } = run;
  // A plan is kept up by its own tool, whatever else is offered.
  const offers = (tool: RegisteredTool) =>
    (plan !== undefined && tool.changes === 'plan') || (toolset?.offers(tool) ?? true);
  const registry = run.registry ?? createToolRegistry(toolset?.added, { offers });
  const files = new KnownFiles(run.env.workingDirectory);
  const { entry, toolMode } = model;
  const approvals = new Approvals(run);
  const tools = new ToolRunner(run, model, {
    registry,
    files,
    plan,
    refuseCommand: (command) => {
      const refusal = deniedReason(command);
      return refusal === undefined ? undefined : approvals.command(command, refusal);
    },
  });
  const conversation: ConversationOptions = {
    mode: toolMode,
    definitions: registry.definitions(),
    extraPrompt: entry.prompt,
    approval: approvals.offersQuestions,
    missing: toolset && missingFrom(registry),
  };
  return { tools, files, approvals, conversation };
}

/** The built-in tools that the prompt counts on and that are not offered. */
function missingFrom(registry: ToolRegistry): string[] {
  const offered = registry.names();
  const standard = createToolRegistry();
  return standard.names().filter((name) => !offered.includes(name) && standard.get(name)?.changes !== 'plan');
}
