/** Chooses the executor and the way of solving for a task. Pure: the same task and rules always give the same route. */
import type { Config } from '../../base/config/schema.ts';
import type { Task } from '../../base/protocol/task.ts';

export type Route =
  | { kind: 'shell'; command: string; retries: number }
  | { kind: WayName }
  | { kind: 'unsupported'; targetType: string };

/** Names of the ways in which a model solves a task; described in `ways.ts`. */
export type WayName = 'simple' | 'agentic' | 'planned';

/** The operator's settings that affect routes. */
export type RoutingConfig = Pick<Config, 'routing' | 'hub'>;

/** Chooses the route. An unsupported target also has a route, so that the hub can send the task elsewhere. */
export function chooseRoute(task: Task, config: RoutingConfig): Route {
  const command = readShellCommand(task);
  const targetType = task.routing_decision?.target_type ?? (command ? 'sidecar' : 'ollama');
  if (targetType === 'sidecar' && command) return { kind: 'shell', command, retries: readShellRetries(task) };
  const isForeign = targetType !== 'sidecar' && targetType !== 'ollama';
  if (isForeign && !config.hub.takeForeignTargets) return { kind: 'unsupported', targetType };
  if (!isAgentic(task, config.routing)) return { kind: 'simple' };
  return { kind: task.workflow === 'planned' ? 'planned' : 'agentic' };
}

function readShellCommand(task: Task): string | undefined {
  const command = task.metadata.shell_command;
  return typeof command === 'string' && command.trim() !== '' ? command : undefined;
}

function readShellRetries(task: Task): number {
  const retries = Number(task.metadata.retries ?? 0);
  return Number.isInteger(retries) && retries > 0 ? Math.min(retries, 10) : 0;
}

/** Returns the first explicit choice of the task; if there is none, the rules decide. */
function isAgentic(task: Task, routing: Config['routing']): boolean {
  const metadata = task.metadata.agentic;
  const explicitChoice =
    task.routing_decision?.agentic ??
    task.agentic ??
    task._agentic ??
    (typeof metadata === 'boolean' ? metadata : undefined);
  if (explicitChoice !== undefined) return explicitChoice;
  if (routing.agentic !== 'auto') return routing.agentic === 'always';
  if (task.repo || task.verification_steps.length > 0 || task.file_hints.length > 0) return true;
  return routing.agenticTiers.includes(task.complexity?.effective_tier ?? '');
}
