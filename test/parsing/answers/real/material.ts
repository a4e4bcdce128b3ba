/** Finds and reads the real material, which lies beside the clone and is no part of it. Run from the repository's root. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ToolDefinition } from '../../../../sidecar/model/chat.ts';

/** A step of a coding agent: what it wrote, and the command that followed. */
export interface AgentStep {
  task: string;
  prose: string;
  command: string;
}

/** A call as the reference reads it: name, named values, values without a name. */
export type ReferenceCall = [name: string, named: Record<string, unknown>, positional?: unknown[]];

export interface ModelAnswer {
  model: string;
  mode: string;
  id: string;
  src: string;
  text: string;
  tools: readonly ToolDefinition[];
  /** What the task wanted, in the form of its source; null where nobody wrote it down. */
  truth: unknown;
  /** null where the reference reads no call. */
  reference: { kind: string; family: string; calls: ReferenceCall[] } | null;
}

/** An answer and what it must be read as: fields that are left out may be anything. */
export interface ToolCallCase {
  id: string;
  text: string;
  tools: readonly ToolDefinition[];
  expected: { type: string; calls?: object[] };
}

/** `SHARED_DIR`, or `shared` beside the repository; undefined where it does not hold the material. */
export function sharedFolder(): string | undefined {
  const folder = resolve(process.env.SHARED_DIR ?? join('..', 'shared'));
  return existsSync(join(folder, 'data/answers.jsonl')) ? folder : undefined;
}

export const readAgentSteps = (shared: string): AgentStep[] =>
  readLines<AgentStep>(join(shared, 'data/agent-steps.jsonl'));

/** The tools are frozen, as the program's own are: the parser keeps what it knows of them. */
export const readModelAnswers = (shared: string): ModelAnswer[] =>
  readLines<ModelAnswer>(join(shared, 'data/answers.jsonl')).map((row) => ({
    ...row,
    tools: Object.freeze(row.tools),
  }));

export const readToolCallCases = (shared: string): ToolCallCase[] =>
  JSON.parse(readFileSync(join(shared, 'cases/tool-calls.json'), 'utf8')) as ToolCallCase[];

const readLines = <Row>(path: string): Row[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
