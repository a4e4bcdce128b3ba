/**
 * When two readings of an answer mean the same. Calls are compared in their order, each with the tool that it means:
 * - A name means the offered tool that has it, or else the one that has it but for case and separators (`a.b`, `a_b`, `a\_b`),
 *   or else but for a word before its first dot (`functions.a`).
 * - Values without a name get the schema's names, in its order; more values than it has names are not compared.
 *   One object alone whose keys are the schema's is the arguments themselves: `f({"a": 1})`.
 * - Values are brought into the schema's types on both sides. Then 5, 5.0, "5" and true, "True" are equal, as are JSON
 *   and a text that holds it. Other texts are equal when every character is.
 * - An argument that is null is the same as one that is left out.
 */
import type { ToolDefinition } from '../../../../sidecar/model/chat.ts';
import { coerceArguments } from '../../../../sidecar/tools/coercion.ts';
import { isRecord, parseJson } from '../../../../sidecar/base/values/json.ts';
import type { ParsedAnswer } from '../parser.ts';
import type { ReferenceCall } from './material.ts';

export interface MeantCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** What the parser found, in the reference's words. */
export function meantByParser(answer: ParsedAnswer, tools: readonly ToolDefinition[]): MeantCall[] {
  if (answer.type !== 'tool_calls') return [];
  return answer.calls.map(({ name, arguments: args }) => {
    const read = typeof args === 'string' ? parseJson(args) : args;
    if (Array.isArray(read)) return meant([name, {}, read], tools);
    return meant(isRecord(read) ? [name, withoutNumbered(read)] : [name, { '': args }], tools);
  });
}

/** The values for which the schema has no name left, which the parser numbers. */
const withoutNumbered = (read: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(read).filter(([key]) => !/^value \d+$/.test(key)));

export function meant(
  [called, named, positional = []]: ReferenceCall,
  tools: readonly ToolDefinition[],
): MeantCall {
  const tool = toolOf(called, tools);
  const schema: unknown = tool?.parameters;
  const properties = isRecord(schema) && isRecord(schema.properties) ? Object.keys(schema.properties) : [];
  const typed = coerceArguments(withNames(unescaped(named), positional, properties), schema);
  return {
    name: tool?.name ?? called,
    arguments: Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== null)),
  };
}

/** Markdown escapes the underscores of names. */
const unescaped = (named: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(named).map(([key, value]) => [key.replaceAll('\\_', '_'), value]));

function toolOf(called: string, tools: readonly ToolDefinition[]): ToolDefinition['function'] | undefined {
  const offered = tools.map((tool) => tool.function);
  const named = (name: string) =>
    offered.find((tool) => tool.name === name) ??
    offered.find((tool) => lettersOf(tool.name) === lettersOf(name));
  return named(called) ?? named(called.slice(called.indexOf('.') + 1));
}

const lettersOf = (name: string) => name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

function withNames(
  named: Record<string, unknown>,
  positional: readonly unknown[],
  properties: readonly string[],
): Record<string, unknown> {
  const [only] = positional;
  if (positional.length === 1 && isRecord(only) && Object.keys(only).some((key) => properties.includes(key)))
    return { ...named, ...only };
  const free = properties.filter((key) => !(key in named));
  return {
    ...Object.fromEntries(
      free.slice(0, positional.length).map((key, index) => [key, positional[index]] as const),
    ),
    ...named,
  };
}

export const isSameCall = (a: MeantCall, b: MeantCall): boolean =>
  a.name === b.name && isSameValue(a.arguments, b.arguments);

export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSameValue(item, b[index]));
  if (isRecord(a) && isRecord(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isSameValue(a[key], b[key]))
    );
  }
  if (typeof a === 'string' && typeof b !== 'string') return isTextOf(a, b);
  if (typeof b === 'string' && typeof a !== 'string') return isTextOf(b, a);
  return false;
}

/** Whether `text` is how a model writes `value`. */
function isTextOf(text: string, value: unknown): boolean {
  const trimmed = text.trim();
  if (typeof value === 'number') return trimmed !== '' && Number(trimmed) === value;
  if (typeof value === 'boolean') return trimmed.toLowerCase() === String(value);
  if (value === null) return /^(?:null|none)$/i.test(trimmed);
  const read = parseJson(trimmed);
  return typeof read === 'object' && read !== null && isSameValue(read, value);
}
