/**
 * Types of the hub's MCP tools. A zod schema validates the arguments; answers are texts for a model. Answers are texts that a model may read: bounded, without secrets,
 * with invisible characters spelled out.
 */
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type * as z from 'zod';
import type { HubClient } from '../client/hub-client.ts';
import type { SecretMasker } from '../../base/observability/secrets.ts';
import type { Logger } from '../../base/ports.ts';
import { toPrintable } from '../../base/values/printable.ts';

/** The environment of the tools. */
export interface McpHost {
  /** Returns a client of the hub. Finds the hub again for each call, since it may have moved. Rejects with a coded failure. */
  connect(): Promise<HubClient>;
  /**
   * Folder of a caller on this machine. Relative paths start in it, and work is merged into the caller's repositories.
   * Undefined for remote callers.
   */
  folder?: string;
  masker: SecretMasker;
  logger: Logger;
}

/** One call of a tool. */
export interface ToolCall {
  hub: HubClient;
  host: McpHost;
  /** Aborts when the caller gives up. */
  signal: AbortSignal;
  /** Reports progress to the caller, if the caller requested it. Never throws. */
  reportProgress: (message: string) => void;
}

/** The parts of an answer. `failed`: the call did not succeed. */
export interface ToolAnswer {
  texts: string[];
  /** Structured data of the answer, for programs. */
  data?: Record<string, unknown>;
  failed?: true;
}

export interface Tool {
  name: string;
  description: string;
  input: z.ZodObject;
  hints: ToolAnnotations;
  /** Runs the tool; `args` match `input`. May reject with a coded failure. */
  run(args: unknown, call: ToolCall): Promise<ToolAnswer>;
}

/** Infers the type of a tool's arguments for its `run`. */
export const declareTool = <S extends z.ZodObject>(
  declaration: Omit<Tool, 'input' | 'run'> & {
    input: S;
    run(args: z.output<S>, call: ToolCall): Promise<ToolAnswer>;
  },
): Tool => declaration;

export const createAnswer = (...texts: string[]): ToolAnswer => ({ texts });
export const createDataAnswer = (data: Record<string, unknown>, ...texts: string[]): ToolAnswer => ({
  texts,
  data,
});
export const createFailedAnswer = (text: string): ToolAnswer => ({ texts: [text], failed: true });

/** Returns at most `maxChars` of a text from a task, made printable; a cut is near the end of a line and noted. */
export function shortenTaskText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return toPrintable(text);
  const beginning = headOf(text, maxChars);
  const end = beginning.lastIndexOf('\n');
  const shortened = end > maxChars / 2 ? beginning.slice(0, end) : beginning;
  return `${toPrintable(shortened)}\n… ${text.length - shortened.length} of ${text.length} characters omitted`;
}

/** Returns a text from a task on one line, with at most `maxChars` characters. */
export function shortenTaskLine(text: string, maxChars = 300): string {
  const line = toPrintable(headOf(text, maxChars)).replace(/\s+/gu, ' ').trim();
  return text.length > maxChars ? `${line}…` : line;
}

/** Cuts a text without splitting a character. */
const headOf = (text: string, maxChars: number): string =>
  text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/u, '');
