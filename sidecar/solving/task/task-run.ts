/**
 * Declares one run of a task: everything that a way of solving may use except a model. It is opened before the work begins, shared by all
 * stages, and closed by its opener. Totals and `control` are those of the whole task. A stage that works in a tree of its own
 * makes a copy with another `workspace` and `env`: `{ ...run, workspace, env }`.
 */
import type { Config } from '../../base/config/schema.ts';
import type { AskUser, Clock, ExecutionEnvironment, Logger, OnProgress } from '../../base/ports.ts';
import type { Task } from '../../base/protocol/task.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { Toolset } from '../../tools/selection.ts';
import type { PreparedWorkspace } from '../../workspace/task-workspace.ts';
import type { RunLimits } from './run-limits.ts';
import type { RunTotals } from './run-totals.ts';
import type { TaskControl } from './task-control.ts';
import type { Ledger, RunObserver, RunSession, TaskTrace } from '../run-ports.ts';

/** Facts for an attempt about the earlier attempts. */
export interface LaterAttempt {
  /** Number of the attempt, from 2. */
  readonly number: number;
  /** Paragraph for the model: earlier attempts, their outcomes, and messages of users since then. */
  readonly earlierSummary: string;
  /** Models that made the earlier attempts. */
  readonly triedModels: readonly string[];
}

/** Returns whether the model already made an attempt at the task. If so, its likeliest answer is known. */
export const hasTriedModel = ({ attempt }: Pick<TaskRun, 'attempt'>, model: string): boolean =>
  attempt?.triedModels.includes(model) ?? false;

export interface TaskRun {
  readonly task: Task;
  /** The operator's complete settings. */
  readonly config: Config;
  /** The tree that the task changes. */
  readonly workspace: PreparedWorkspace;
  /** Environment of tools, commands and checks, in `workspace`. */
  readonly env: ExecutionEnvironment;
  /** Stops and steers the task; has its wall clock and its journal. */
  readonly control: TaskControl;
  readonly limits: RunLimits;
  /** Facts about the earlier attempts; set from the second attempt on. */
  readonly attempt?: LaterAttempt;
  /** Usage totals of the task; every stage adds to them. */
  readonly totals: RunTotals;
  /** Tree that the task began with; undefined if it could not be stored. */
  readonly startTree: string | undefined;
  /** Tree that an earlier run of the task left; set if this run resumes the task. */
  readonly foundTree?: string | undefined;
  /** Whether effects of commands may leave the tree: there is no sandbox, or it has network access. */
  readonly commandsAffectOutside: boolean;
  /** Ledger that is checked before each call of a model; if undefined, spending is not limited. */
  readonly ledger?: Ledger;
  /** Asks users; if undefined, the policy `auto` answers. */
  readonly askUser?: AskUser;
  /** Registry of tools in place of the built-in ones. */
  readonly registry?: ToolRegistry;
  /** Tools besides the built-in ones, and the selection that is offered; default: the built-in tools. */
  readonly toolset?: Toolset;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Emits an event; events carry the task's usage so far. */
  readonly emit: OnProgress;
  /** Session folder that the task leaves on disk. */
  readonly session?: RunSession;
  /** Observer that records each message. */
  readonly observer?: RunObserver;
  /** Trace of the calls of models and tools. */
  readonly trace?: TaskTrace;
}
