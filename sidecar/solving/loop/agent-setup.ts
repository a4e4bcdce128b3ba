/** Sets up the tools and the conversation of a loop. */
import { createToolRegistry, type ToolRegistry } from '../../tools/registry.ts';
import type { PlanSink, RegisteredTool } from '../../tools/types.ts';
import type { ConversationOptions } from '../model-calls/conversation.ts';
import type { ReadyModel } from '../model-calls/models/task-models.ts';
import type { TaskRun } from '../task/task-run.ts';
import { Approvals } from '../task/approvals.ts';
import { KnownFiles } from './known-files.ts';
import { ToolRunner } from './tool-runner.ts';

export interface AgentSetup {
  readonly tools: ToolRunner;
  readonly conversation: ConversationOptions;
}

/**
 * Creates the tool runner and the options of the conversation. `plan` receives the updates of the plan tool. Without it, the tool reports
 * that there is no plan.
 */
export function setUpAgent(run: TaskRun, model: ReadyModel, plan?: PlanSink): AgentSetup {
  const { toolset } = run;
  // The plan tool is offered whenever there is a plan, even if the task's selection of tools lacks it.
  const isOffered = (tool: RegisteredTool) =>
    (plan !== undefined && tool.changes === 'plan') || (toolset?.isOffered(tool) ?? true);
  const registry = run.registry ?? createToolRegistry(toolset?.addedTools, isOffered);
  const files = new KnownFiles(run.env.workingDirectory);
  const { entry, toolMode } = model;
  const approvals = new Approvals(run);
  const tools = new ToolRunner(run, model, { registry, files, plan, approvals });
  const conversation: ConversationOptions = {
    mode: toolMode,
    definitions: registry.definitions(),
    extraPrompt: entry.prompt,
    offersApproval: approvals.offersQuestions,
    missingTools: toolset && listMissingTools(registry),
  };
  return { tools, conversation };
}

/** Returns the names of the built-in tools that the prompt mentions and the registry does not offer. */
function listMissingTools(registry: ToolRegistry): string[] {
  const offeredNames = registry.names();
  const standardTools = createToolRegistry();
  return standardTools
    .names()
    .filter((name) => !offeredNames.includes(name) && standardTools.get(name)?.changes !== 'plan');
}
