/** The vocabulary of tools: what a tool is, what it gets, what it gives. */
import type * as z from 'zod';
import type { ExecutionEnvironment } from '../ports.ts';
import type { FileWatch } from './file-watch.ts';

export interface ToolContext {
  env: ExecutionEnvironment;
  signal: AbortSignal;
  /** Output while the tool runs (a command's stdout); never throws. */
  emit: (chunk: { stream: 'stdout' | 'stderr'; text: string }) => void;
  /** The task's plan document; absent where the task has none. */
  plan?: PlanSink;
  /**
   * Says why a command must not run, or undefined when it may. May wait for a person.
   * Its word is final for the deny list. Absent: what the environment refuses by itself.
   */
  refuseCommand?: (command: string) => string | undefined | Promise<string | undefined>;
  /** The task's knowledge of files; absent where nobody keeps it: whole files are then replaced without a question. */
  files?: FileWatch;
  /** Characters of the answer that the model gets to see at most, whatever the tool's own limit. */
  maxOutputChars?: number;
}

/** Where `update_plan` writes. `update` answers the plan's new state in one line; it throws for an update it refuses. */
export interface PlanSink {
  update(args: PlanUpdate): string;
}

export interface PlanUpdate {
  goal?: string;
  status?: 'planning' | 'in_progress' | 'blocked' | 'completed' | 'failed';
  acceptance_criteria?: string[];
  /** Descriptions, or their numbers from 1. */
  criteria_completed?: string[];
  decisions_made?: PlanDecision[];
  decisions_rejected?: PlanDecision[];
}

export interface PlanDecision {
  title: string;
  rationale?: string;
  alternatives?: string[];
}

/** Text for the model, typed details for people; a plain string is `{ text }`. */
export type ToolOutput = string | { text: string; details?: Record<string, unknown>; isError?: boolean };

/** The answer of a call that looked for something and found nothing. */
export const foundNothing = (text: string): ToolOutput => ({ text, details: { foundNothing: true } });

/** The answer of a call that did not do what was asked. */
export const refusal = (text: string, details?: Record<string, unknown>): ToolOutput => ({
  text,
  isError: true,
  ...(details && { details }),
});

export type ToolExecutor<Args> = (args: Args, context: ToolContext) => Promise<ToolOutput>;

/** How much of a tool's output the model gets to see. */
export interface OutputLimit {
  maxChars: number;
  /** `head_tail` keeps the beginning and the end, `tail` only the end. */
  mode: 'head_tail' | 'tail';
  maxLines?: number;
}

export interface RegisteredTool<Schema extends z.ZodType = z.ZodType> {
  name: string;
  /** Other names by which models know the tool; case and separators carry no meaning. */
  aliases?: readonly string[];
  /**
   * Names of tools of other harnesses that do the work of several tools (`str_replace_editor`): a `command` in the call says
   * which one is meant. Without a `command` it is this tool.
   */
  editorNames?: readonly string[];
  /** Commands of such an editor that mean this tool, each with the arguments that it stands for. */
  editorCommands?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Own argument → other names by which models know it. A tool of others profits where its argument has the same name. */
  argumentAliases?: Readonly<Record<string, readonly string[]>>;
  /** Arguments that are written or run as they stand: no line break is taken off them. */
  textArguments?: readonly string[];
  /** Arguments that the tool takes and that no model is told of: calls of other harnesses' tools need them. */
  unadvertised?: readonly string[];
  /** Goes to the model: terse, every byte is prefill. */
  description: string;
  schema: Schema;
  /** The arguments as JSON Schema, of a tool that is declared so; without it, made of `schema`. */
  parameters?: object;
  /** May run at the same time as other read-only calls, and needs no intent in the journal. */
  readOnly: boolean;
  /** The thing that a call changes, where that is known before it runs. */
  changes?: 'files' | 'plan';
  /** Default: 30 000 characters, beginning and end. */
  output?: OutputLimit;
  // The registry holds tools of many argument types; each is validated by its own schema before this runs.
  execute: ToolExecutor<never>;
}

/** A call to dispatch; `args` may still be text (it is parsed and repaired). */
export interface ToolCallRequest {
  toolCallId: string;
  toolName: string;
  args: unknown;
  /** It was mended, or its values were brought into other types, so that it could run. */
  repaired?: boolean;
}

export interface ToolCallResult {
  toolCallId: string;
  /** Canonical name, aliases resolved. */
  toolName: string;
  /** Truncated, for the model. */
  output: string;
  /** Whole (bounded by the collector), for the session log. */
  fullOutput: string;
  isError: boolean;
  durationMs: number;
  details?: Record<string, unknown>;
}
