/**
 * From a tool's schema to the JSON Schema that the model gets: of zod's its input side, terse, since every byte of it is
 * prefill. No `$schema`, no `additionalProperties`, no bounds of ±2^53, inline, no `oneOf`.
 */
import * as z from 'zod';
import type { ToolDefinition } from '../model/chat.ts';
import type { RegisteredTool } from './types.ts';

export interface ArgumentsSchema {
  /** Schema of all arguments. */
  json: object;
  /** The part that the model gets, where that is less. */
  shown?: object;
  /** The tool's own argument names. */
  properties: ReadonlySet<string>;
  /** Whether arguments that are not in `properties` are the tool's business. */
  open: boolean;
}

type Schema = { type?: unknown; properties?: object; additionalProperties?: unknown };

/** A tool whose arguments cannot be said in JSON Schema is a bug of its author: throws zod's error. */
export function argumentsSchema(tool: RegisteredTool): ArgumentsSchema {
  const raw: Schema =
    tool.parameters ?? z.toJSONSchema(tool.schema, { io: 'input', reused: 'inline', unrepresentable: 'any' });
  const { additionalProperties } = raw;
  const json = terse(raw) as object;
  const hidden = tool.unadvertised ?? [];
  return {
    json,
    ...(hidden.length > 0 && { shown: without(hidden, json) }),
    properties: new Set(Object.keys(raw.properties ?? {})),
    open: raw.type !== 'object' || (additionalProperties !== undefined && additionalProperties !== false),
  };
}

function without(names: readonly string[], json: { properties?: object }): object {
  const shown = Object.entries(json.properties ?? {}).filter(([name]) => !names.includes(name));
  return { ...json, properties: Object.fromEntries(shown) };
}

/** One entry of the request's `tools` field. */
export function toolDefinition(tool: RegisteredTool, schema: ArgumentsSchema): ToolDefinition {
  return {
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: schema.shown ?? schema.json },
  };
}

const DROPPED_KEYWORDS = new Set(['$schema', 'additionalProperties', 'default', 'propertyNames']);
/** Their values map names of the tool's own to schemas; a name is never a keyword. */
const MAPS_OF_SCHEMAS = new Set(['properties', '$defs']);

/** Bounds that tell a model nothing: not empty, positive, a safe integer. Validation has them all the same. */
const isTrivialBound = (keyword: string, value: unknown): boolean =>
  (keyword === 'minLength' && value === 1) ||
  (keyword === 'exclusiveMinimum' && value === 0) ||
  Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;

function terse(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(terse);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (DROPPED_KEYWORDS.has(keyword) || isTrivialBound(keyword, value)) continue;
    if (MAPS_OF_SCHEMAS.has(keyword)) {
      const entries = Object.entries(value as object).map(([name, inner]) => [name, terse(inner)] as const);
      kept[keyword] = Object.fromEntries(entries);
    } else {
      kept[keyword === 'oneOf' ? 'anyOf' : keyword] = terse(value);
    }
  }
  // An enumeration of texts says its type itself.
  if (Array.isArray(kept.enum) && kept.type === 'string') delete kept.type;
  return kept;
}
