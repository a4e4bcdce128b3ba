/** The route of a task by the operator's settings. */
import type { Config } from '../../config/schema.ts';
import type { Task } from '../../protocol/task.ts';
import { routeTask, type Route } from '../routing.ts';

export const routeFor = (task: Task, { routing, workflow }: Pick<Config, 'routing' | 'workflow'>): Route =>
  routeTask(task, { ...routing, ...workflow });
