/**
 * Converts a tool's schema to the JSON Schema sent to the model: zod's input side, without needless keywords, because every byte costs
 * prefill. `$schema`, `additionalProperties` and bounds of ±2^53 are left out, `oneOf` becomes `anyOf`, and references are inlined.
 */
import * as z from 'zod';
import type { ToolDefinition } from '../model/chat.ts';
import type { RegisteredTool } from './types.ts';

export interface ArgumentsSchema {
  json: object;
  /** The schema that is sent to the model, if it differs from `json`. */
  advertisedSchema?: object;
  /** Names of the tool's arguments, without aliases. */
  properties: ReadonlySet<string>;
  /** Whether the tool accepts arguments that are not in `properties`. */
  isOpen: boolean;
}

type JsonSchema = { type?: unknown; properties?: object; additionalProperties?: unknown };

/**
 * Returns the arguments of a tool as JSON Schema. Throws zod's error if JSON Schema cannot express them, which is a bug in the declaration
 * of the tool.
 */
export function buildArgumentsSchema(tool: RegisteredTool): ArgumentsSchema {
  const raw: JsonSchema =
    tool.parameters ?? z.toJSONSchema(tool.schema, { io: 'input', reused: 'inline', unrepresentable: 'any' });
  const { additionalProperties } = raw;
  const json = reduceSchema(raw) as object;
  const hidden = tool.unadvertisedParameters ?? [];
  return {
    json,
    ...(hidden.length > 0 && { advertisedSchema: omitParameters(hidden, json) }),
    properties: new Set(Object.keys(raw.properties ?? {})),
    isOpen: raw.type !== 'object' || (additionalProperties !== undefined && additionalProperties !== false),
  };
}

function omitParameters(names: readonly string[], json: { properties?: object }): object {
  const properties = Object.entries(json.properties ?? {}).filter(([name]) => !names.includes(name));
  return { ...json, properties: Object.fromEntries(properties) };
}

/** Returns the tool's entry in the request's `tools` field. */
export function buildToolDefinition(tool: RegisteredTool, schema: ArgumentsSchema): ToolDefinition {
  return {
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      parameters: schema.advertisedSchema ?? schema.json,
    },
  };
}

const DROPPED_KEYWORDS = new Set(['$schema', 'additionalProperties', 'default', 'propertyNames']);
/** Keywords whose value maps names that the tool chose to schemas. These names must not be read as keywords. */
const SCHEMA_MAP_KEYWORDS = new Set(['properties', '$defs']);

/**
 * Returns whether a bound does not help a model, since it only requires a text that is not empty, a positive number or a safe integer.
 * Validation still applies the bound.
 */
const isTrivialBound = (keyword: string, value: unknown): boolean =>
  (keyword === 'minLength' && value === 1) ||
  (keyword === 'exclusiveMinimum' && value === 0) ||
  Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;

function reduceSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(reduceSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const reduced: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (DROPPED_KEYWORDS.has(keyword) || isTrivialBound(keyword, value)) continue;
    if (SCHEMA_MAP_KEYWORDS.has(keyword)) {
      const entries = Object.entries(value as object).map(
        ([name, inner]) => [name, reduceSchema(inner)] as const,
      );
      reduced[keyword] = Object.fromEntries(entries);
    } else {
      reduced[keyword === 'oneOf' ? 'anyOf' : keyword] = reduceSchema(value);
    }
  }
  // An enumeration of texts implies its type.
  if (Array.isArray(reduced.enum) && reduced.type === 'string') delete reduced.type;
  return reduced;
}
