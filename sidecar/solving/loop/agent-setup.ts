/** The parts of every stage with tools, whether one loop does the task or one loop each step: the tools and the conversation. */
import { createToolRegistry, type ToolRegistry } from '../../tools/registry.ts';
import type { PlanSink, RegisteredTool } from '../../tools/types.ts';
import type { ConversationOptions } from '../model-calls/conversation.ts';
import type { ReadyModel } from '../model-calls/models/task-models.ts';
import type { TaskRun } from '../task/task-run.ts';
import { Approvals } from './approvals.ts';
import { KnownFiles } from './known-files.ts';
import { ToolRunner } from './tool-runner.ts';

export interface AgentSetup {
  readonly tools: ToolRunner;
  readonly conversation: ConversationOptions;
}

/** `plan`: where the plan's tool writes; without it that tool reports that there is no plan. */
export function setUpAgent(run: TaskRun, model: ReadyModel, plan?: PlanSink): AgentSetup {
  const { toolset } = run;
  // A plan is kept up by its own tool, whatever else is offered.
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

/** The built-in tools that the prompt counts on and that are not offered. */
function missingFrom(registry: ToolRegistry): string[] {
  const offered = registry.names();
  const standard = createToolRegistry();
  return standard.names().filter((name) => !offered.includes(name) && standard.get(name)?.changes !== 'plan');
}
