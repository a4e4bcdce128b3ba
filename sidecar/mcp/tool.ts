/**
 * A tool: its arguments as a zod schema, and its answer. Answers are texts for a reader that may be a
 * model: bounded, without secrets, and with everything that is not seen spelled out.
 */
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type * as z from 'zod';
import type { HubClient } from '../hub-client/hub-client.ts';
import type { SecretMasker } from '../observability/secrets.ts';
import type { Logger } from '../ports.ts';
import { printable } from '../values/printable.ts';

/** Where the tools work. */
export interface McpHost {
  /** A client of the hub, found anew for each call, since the hub may have moved. Rejects with a failure that has a code. */
  connect(): Promise<HubClient>;
  /**
   * The folder of a caller on this machine: relative paths begin there, and work is merged into repositories.
   * Undefined for callers elsewhere.
   */
  folder?: string;
  masker: SecretMasker;
  logger: Logger;
}

/** One call of a tool. */
export interface ToolCall {
  hub: HubClient;
  host: McpHost;
  /** Aborts when the caller has given up. */
  signal: AbortSignal;
  /** Reports what happens meanwhile, where the caller wants that. Never throws. */
  progress: (message: string) => void;
}

/** The parts of an answer. `failed`: the call did not bring what was asked for. */
export interface Answer {
  texts: string[];
  /** The same for programs. */
  data?: Record<string, unknown>;
  failed?: true;
}

export interface Tool {
  name: string;
  description: string;
  input: z.ZodObject;
  hints: ToolAnnotations;
  /** `args` have passed `input`. May reject with a failure that has a code. */
  run(args: unknown, call: ToolCall): Promise<Answer>;
}

/** Keeps the type of a tool's arguments for its `run`. */
export const tool = <S extends z.ZodObject>(
  declared: Omit<Tool, 'input' | 'run'> & {
    input: S;
    run(args: z.output<S>, call: ToolCall): Promise<Answer>;
  },
): Tool => declared;

export const said = (...texts: string[]): Answer => ({ texts });
export const saidWith = (data: Record<string, unknown>, ...texts: string[]): Answer => ({ texts, data });
export const failed = (text: string): Answer => ({ texts: [text], failed: true });

/** Text from a task, safe to read: at most `maxChars` of it, cut at the end of a line where one is near, with a note. */
export function shown(text: string, maxChars: number): string {
  if (text.length <= maxChars) return printable(text);
  const begin = headOf(text, maxChars);
  const end = begin.lastIndexOf('\n');
  const kept = end > maxChars / 2 ? begin.slice(0, end) : begin;
  return `${printable(kept)}\n… ${text.length - kept.length} of ${text.length} characters left out`;
}

/** At most `maxChars` of a text from a task, on one line. */
export function shownLine(text: string, maxChars = 300): string {
  const line = printable(headOf(text, maxChars)).replace(/\s+/gu, ' ').trim();
  return text.length > maxChars ? `${line}…` : line;
}

/** Never ends in half a character. */
const headOf = (text: string, maxChars: number): string =>
  text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/u, '');
