/** The parts of every stage with tools, for one loop in a task or one loop stage per step: the tools and the conversation. */
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
 * Makes the tools and the options of the conversation. `plan` receives the updates of the plan tool; without it that tool reports that
 * there is no plan.
 */
export function setUpAgent(run: TaskRun, model: ReadyModel, plan?: PlanSink): AgentSetup {
  const { toolset } = run;
  // A plan needs its tool, even if the selection does not offer it.
  const offers = (tool: RegisteredTool) =>
    (plan !== undefined && tool.changes === 'plan') || (toolset?.offers(tool) ?? true);
  const registry = run.registry ?? createToolRegistry(toolset?.added, offers);
  const files = new KnownFiles(run.env.workingDirectory);
  const { entry, toolMode } = model;
  const approvals = new Approvals(run);
  const tools = new ToolRunner(run, model, { registry, files, plan, approvals });
  const conversation: ConversationOptions = {
    mode: toolMode,
    definitions: registry.definitions(),
    extraPrompt: entry.prompt,
    approval: approvals.offersQuestions,
    missing: toolset && missingFrom(registry),
  };
  return { tools, conversation };
}

/** Returns the built-in tools that the prompt expects and that are not offered. */
function missingFrom(registry: ToolRegistry): string[] {
  const offered = registry.names();
  const standard = createToolRegistry();
  return standard.names().filter((name) => !offered.includes(name) && standard.get(name)?.changes !== 'plan');
}
