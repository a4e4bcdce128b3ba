/**
 * Which executor and which way of solving a task gets. Pure: the same task and rules always give the same route.
 */
import type { Config } from '../config/schema.ts';
import type { Task } from '../protocol/task.ts';

export type Route =
  | { kind: 'shell'; command: string; retries: number }
  | { kind: WayName }
  | { kind: 'unsupported'; targetType: string };

/** The ways in which a model solves a task; `ways.ts` says what does each. */
export type WayName = 'simple' | 'agentic' | 'planned';

export interface RoutingRules {
  agentic: 'auto' | 'always' | 'never';
  /** Tiers that are agentic under `auto`. */
  agenticTiers: readonly string[];
  /** Tiers that run as plan, execute, summarise. */
  plannedTiers: readonly string[];
  /** Tasks for another kind of worker are done with the local model. */
  takeForeignTargets?: boolean;
}

/** The operator's settings that decide on routes. */
export const routingRules = ({
  routing,
  workflow,
  hub: { takeForeignTargets },
}: Pick<Config, 'routing' | 'workflow' | 'hub'>): RoutingRules => ({
  ...routing,
  ...workflow,
  takeForeignTargets,
});

/** The route of a task by the operator's settings. */
export const routeFor = (task: Task, config: Pick<Config, 'routing' | 'workflow' | 'hub'>): Route =>
  routeTask(task, routingRules(config));

/** Picks the executor; an unsupported target is an answer too, so that the hub can route the task elsewhere. */
export function routeTask(task: Task, rules: RoutingRules): Route {
  const command = shellCommand(task);
  const targetType = task.routing_decision?.target_type ?? (command ? 'sidecar' : 'ollama');
  if (targetType === 'sidecar' && command) return { kind: 'shell', command, retries: shellRetries(task) };
  const isForeign = targetType !== 'sidecar' && targetType !== 'ollama';
  if (isForeign && rules.takeForeignTargets !== true) return { kind: 'unsupported', targetType };
  if (!isAgentic(task, rules)) return { kind: 'simple' };
  return isPlanned(task, rules) ? { kind: 'planned' } : { kind: 'agentic' };
}

function shellCommand(task: Task): string | undefined {
  const command = task.metadata.shell_command;
  return typeof command === 'string' && command.trim() !== '' ? command : undefined;
}

function shellRetries(task: Task): number {
  const retries = Number(task.metadata.retries ?? 0);
  return Number.isInteger(retries) && retries > 0 ? Math.min(retries, 10) : 0;
}

/** The first that speaks decides; an explicit false wins like an explicit true. */
function isAgentic(task: Task, rules: RoutingRules): boolean {
  const metadata = task.metadata.agentic;
  const explicit =
    task.routing_decision?.agentic ??
    task.agentic ??
    task._agentic ??
    (typeof metadata === 'boolean' ? metadata : undefined);
  if (explicit !== undefined) return explicit;
  if (rules.agentic !== 'auto') return rules.agentic === 'always';
  if (task.repo || task.verification_steps.length > 0 || task.file_hints.length > 0) return true;
  return rules.agenticTiers.includes(task.complexity?.effective_tier ?? '');
}

function isPlanned(task: Task, rules: RoutingRules): boolean {
  if (task.workflow) return task.workflow === 'planned';
  return rules.plannedTiers.includes(task.complexity?.effective_tier ?? '');
}
