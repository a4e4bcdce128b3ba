/** The interfaces of tools: declaration, context, result. */
import type * as z from 'zod';
import type { EndedToolCall, ExecutionEnvironment } from '../base/ports.ts';
import type { FileKnowledge } from './file-watch.ts';

export interface ToolContext {
  env: ExecutionEnvironment;
  signal: AbortSignal;
  /** Emits output while the tool runs (a command's stdout); never throws. */
  emit: (chunk: { stream: 'stdout' | 'stderr'; text: string }) => void;
  /** The task's plan document; absent if the task has none. */
  plan?: PlanSink;
  /**
   * Returns why a command must not run; undefined if it may. May wait for a user. Final for the deny list; if absent,
   * the environment's own rules apply.
   */
  refuseCommand?: (command: string) => string | undefined | Promise<string | undefined>;
  /** The task's knowledge of files; if absent, whole files are replaced without a check. */
  files?: FileKnowledge;
  /** Limit of characters of the result for the model, whatever the tool's own limit. */
  maxOutputChars?: number;
}

/** Receives the changes of `update_plan`. `update` returns the plan's new state in one line; it throws if it refuses the update. */
export interface PlanSink {
  update(args: PlanUpdate): string;
}

export interface PlanUpdate {
  goal?: string;
  status?: 'planning' | 'in_progress' | 'blocked' | 'completed' | 'failed';
  acceptance_criteria?: string[];
  /** Descriptions, or their numbers from 1. */
  criteria_completed?: string[];
  decisions_made?: DecisionUpdate[];
  decisions_rejected?: DecisionUpdate[];
}

export interface DecisionUpdate {
  title: string;
  rationale?: string;
  alternatives?: string[];
}

/** Text for the model and typed details for users; a plain string is `{ text }`. */
export type ToolOutput = string | { text: string; details?: Record<string, unknown>; isError?: boolean };

/** Makes the result of a search without matches. */
export const buildNothingFound = (text: string): ToolOutput => ({ text, details: { foundNothing: true } });

/** Makes the result of a call that was not carried out. */
export const buildRefusal = (text: string, details?: Record<string, unknown>): ToolOutput => ({
  text,
  isError: true,
  ...(details && { details }),
});

export type ToolExecutor<Args> = (args: Args, context: ToolContext) => Promise<ToolOutput>;

/** Limit of a tool's output for the model. */
export interface OutputLimit {
  maxChars: number;
  /** `head_tail` retains the beginning and the end, `tail` only the end. */
  mode: 'head_tail' | 'tail';
  maxLines?: number;
}

export interface RegisteredTool<Schema extends z.ZodType = z.ZodType> {
  name: string;
  /** Other names by which models know the tool; case and separators do not matter. */
  aliases?: readonly string[];
  /**
   * Names of other harnesses' tools that combine several tools (`str_replace_editor`): the call's `command` selects the
   * tool. Without a `command` it is this tool.
   */
  editorNames?: readonly string[];
  /** Commands of such an editor for this tool, each with the arguments that it implies. */
  editorCommands?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Aliases of each argument; they also apply to other tools with an argument of that name. */
  argumentAliases?: Readonly<Record<string, readonly string[]>>;
  /** Arguments that are written or run unchanged: their line breaks are not removed. */
  textArguments?: readonly string[];
  /** Accepted arguments that are not sent to the model, for calls of other harnesses' tools. */
  unadvertised?: readonly string[];
  /** Description for the model; short, because every byte costs prefill. */
  description: string;
  schema: Schema;
  /** The arguments as JSON Schema, if declared so; by default derived from `schema`. */
  parameters?: object;
  /** Whether the tool may run concurrently with other read-only calls. */
  readOnly: boolean;
  /** The effect of a call, if known in advance. */
  changes?: 'files' | 'plan';
  /** Limit of the output for the model. Default: 30 000 characters, beginning and end. */
  output?: OutputLimit;
  // The registry holds tools of many argument types; each tool's schema validates its arguments before this runs.
  execute: ToolExecutor<never>;
}

/** A call to dispatch; `args` may still be text, which is parsed and repaired. */
export interface ToolCallRequest {
  toolCallId: string;
  toolName: string;
  args: unknown;
  /** Whether the call was repaired or its values were converted. */
  repaired?: boolean;
}

export interface ToolCallResult extends EndedToolCall {
  /** Truncated, for the model. */
  output: string;
  /** Complete (limited by the collector), for the session log. */
  fullOutput: string;
}

/** The possible effects of a declared tool: nothing, files of the workspace, or anything. */
export type ToolEffects = 'none' | 'files' | 'any';

/** Returns the registration fields for the effects of a declared tool. */
export const effectsOf = (effects: ToolEffects): Pick<RegisteredTool, 'readOnly' | 'changes'> => ({
  readOnly: effects === 'none',
  ...(effects === 'files' ? { changes: 'files' as const } : {}),
});
