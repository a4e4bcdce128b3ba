/** Defines the interfaces of tools: declaration, context, result. */
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
   * Returns the reason why a command must not run; undefined if it may run. May wait for a user. Replaces the environment's deny list,
   * which applies if this function is absent.
   */
  refuseCommand?: (command: string) => string | undefined | Promise<string | undefined>;
  /** The model's knowledge of files. If absent, whole files are replaced without a check. */
  files?: FileKnowledge;
  /** Maximum number of characters of the result for the model. It applies in addition to the tool's own limit. */
  maxOutputChars?: number;
}

/** Target of the changes of `update_plan`. `update` returns the plan's new state in one line. It throws if it refuses the update. */
export interface PlanSink {
  update(args: PlanUpdate): string;
}

export interface PlanUpdate {
  goal?: string;
  status?: 'planning' | 'in_progress' | 'blocked' | 'completed' | 'failed';
  acceptance_criteria?: string[];
  /** Completed criteria: descriptions, or numbers from 1. */
  criteria_completed?: string[];
  decisions_made?: DecisionUpdate[];
  decisions_rejected?: DecisionUpdate[];
}

export interface DecisionUpdate {
  title: string;
  rationale?: string;
  alternatives?: string[];
}

/** Output of a tool: text for the model and typed details for users. A plain string means `{ text }`. */
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
   * Names of tools of other harnesses that combine several tools (`str_replace_editor`). The `command` in the arguments selects the tool. A
   * call without a `command` is a call of this tool.
   */
  editorNames?: readonly string[];
  /** Commands of such a combined tool that mean this tool, each with the arguments that it implies. */
  editorCommands?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Aliases of each argument; they also apply to other tools with an argument of that name. */
  argumentAliases?: Readonly<Record<string, readonly string[]>>;
  /** Arguments that are written to a file or run unchanged, so that their line breaks must not be removed. */
  textArguments?: readonly string[];
  /** Names of arguments that are accepted but not sent to the model, for calls in the form of other harnesses' tools. */
  unadvertisedParameters?: readonly string[];
  /** Description for the model; short, because every byte costs prefill. */
  description: string;
  schema: Schema;
  /** The arguments as JSON Schema, if they are declared that way. Default: derived from `schema`. */
  parameters?: object;
  /** Whether the tool may run concurrently with other read-only calls. */
  readOnly: boolean;
  /** The effect of every call, if it is known in advance. */
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
  /** Truncated output for the model. */
  output: string;
  /** Complete output for the session log, limited only by the collector. */
  fullOutput: string;
}

/** The possible effects of a declared tool: nothing, files of the workspace, or anything. */
export type ToolEffects = 'none' | 'files' | 'any';

/** Returns the fields of a registered tool that follow from the effects of a declared tool. */
export const effectsOf = (effects: ToolEffects): Pick<RegisteredTool, 'readOnly' | 'changes'> => ({
  readOnly: effects === 'none',
  ...(effects === 'files' ? { changes: 'files' as const } : {}),
});
