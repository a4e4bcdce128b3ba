/**
 * One run of a task: everything that a way of solving it may use besides a model. It is opened before the work begins,
 * shared by all stages, and closed by its opener. The same totals, wall clock and journal serve the whole task.
 * A stage that works in a tree of its own makes a copy with another `workspace` and `env`: `{ ...run, workspace, env }`.
 */
import type { Config } from '../../base/config/schema.ts';
import type {
  AskPerson,
  Clock,
  ExecutionEnvironment,
  Ledger,
  Logger,
  OnProgress,
  RunObserver,
  RunSession,
  TaskTrace,
} from '../../base/ports.ts';
import type { Task } from '../../base/protocol/task.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { Toolset } from '../../tools/selection.ts';
import type { PreparedWorkspace } from '../../workspace/task-workspace.ts';
import type { Journal } from './journal.ts';
import type { RunLimits } from './run-limits.ts';
import type { RunTotals } from './run-totals.ts';
import type { TaskControl } from './task-control.ts';

/** An attempt's knowledge of those before it. */
export interface LaterAttempt {
  /** From 2. */
  readonly number: number;
  /** A paragraph for the model: what was tried, what came of it, what users said meanwhile. */
  readonly earlier: string;
  /** Models that made the earlier attempts. */
  readonly triedModels: readonly string[];
}

/** Whether the model has made an attempt at the task before, so that its likeliest answer is known. */
export const hasTried = ({ attempt }: Pick<TaskRun, 'attempt'>, model: string): boolean =>
  attempt?.triedModels.includes(model) ?? false;

export interface TaskRun {
  readonly task: Task;
  /** The operator's settings, complete. */
  readonly config: Config;
  /** The tree that the task changes. */
  readonly workspace: PreparedWorkspace;
  /** Where tools, commands and checks run: inside of `workspace`. */
  readonly env: ExecutionEnvironment;
  /** Stops and steers the task. */
  readonly control: TaskControl;
  readonly limits: RunLimits;
  /** From the second attempt at the task on. */
  readonly attempt?: LaterAttempt;
  /** The task's figures so far; every stage adds to them. */
  readonly totals: RunTotals;
  /** What came from outside, in this run of the task and in those before it. */
  readonly journal: Journal;
  /** The tree that the task began with; undefined if it could not be kept. */
  readonly startTree: string | undefined;
  /** The tree that an earlier run left, before the task was put back to its start. */
  readonly foundTree?: string | undefined;
  /** Effects of commands may leave the tree: there is no sandbox, or it has the network. */
  readonly commandsReachOut: boolean;
  /** Asked before each call of a model; without one spending is not limited. */
  readonly ledger?: Ledger;
  /** Asks users; without one the policy `auto` answers. */
  readonly askPerson?: AskPerson;
  /** Other tools than the built-in ones. */
  readonly registry?: ToolRegistry;
  /** Tools besides the built-in ones, and which of all of them are offered; default: the built-in ones. */
  readonly toolset?: Toolset;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Tells the timeline; events carry what the task has used until then. */
  readonly emit: OnProgress;
  /** The folder that the task leaves on disk. */
  readonly session?: RunSession;
  /** Records each message. */
  readonly observer?: RunObserver;
  /** Observes calls of model and tools. */
  readonly trace?: TaskTrace;
}
