/**
 * Structured mode: the JSON Schema that the server converts to a grammar, the tools as text for the prompt, and the
 * correction of a malformed answer. The schema uses only what llama.cpp's grammar builder supports well: whole objects
 * under `anyOf`, `const`, inlined types; no `oneOf`, `$ref`, `pattern` or numeric bounds, which the tool's validation
 * checks later.
 */
import { isRecord } from '../base/values/json.ts';
import type { ToolDefinition } from './chat.ts';

/**
 * Maximum length of the schema as JSON: a larger grammar costs the server seconds per request. Above it, the largest
 * parameter schemas become `{"type": "object"}` until the schema fits; if it still does not fit, all tools share one
 * branch whose `name` is an enumeration.
 */
export const MAX_SCHEMA_CHARS = 24_000;

const MAX_DEPTH = 8;
const ANY_OBJECT_SCHEMA = { type: 'object' } as const;

type JsonSchema = Record<string, unknown>;

/**
 * Returns the `format` of a request: exactly one of `{"tool_calls": [{"name", "parameters"}, …]}`, `{"response": "…"}`
 * and, if `approval` is allowed, `{"request_approval": "…"}`. Deterministic: the same definitions give the same bytes.
 */
export function buildStructuredSchema(
  definitions: readonly ToolDefinition[],
  { approval = false }: { approval?: boolean } = {},
): object {
  const branches = [buildBranch('response', { type: 'string' })];
  if (approval) branches.push(buildBranch('request_approval', { type: 'string' }));
  if (definitions.length === 0) return { anyOf: branches };
  const calls = { type: 'array', minItems: 1, items: buildCallSchema(definitions) };
  return { anyOf: [buildBranch('tool_calls', calls), ...branches] };
}

function buildBranch(key: string, value: object): JsonSchema {
  return buildClosedObject({ [key]: value }, [key]);
}

function buildClosedObject(properties: Record<string, object>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function buildCallSchema(definitions: readonly ToolDefinition[]): JsonSchema {
  const tools = definitions.map(({ function: { name, parameters } }) => ({
    name,
    schema: reduceSchema(parameters),
  }));
  const size = (value: unknown) => JSON.stringify(value).length;
  const branchOf = (tool: { name: string; schema: object }) =>
    buildClosedObject({ name: { const: tool.name }, parameters: tool.schema }, ['name', 'parameters']);
  const largestFirst = [...tools].sort((a, b) => size(b.schema) - size(a.schema));
  let total = size(tools.map(branchOf));
  for (const tool of largestFirst) {
    if (total <= MAX_SCHEMA_CHARS) break;
    total -= size(tool.schema) - size(ANY_OBJECT_SCHEMA);
    tool.schema = ANY_OBJECT_SCHEMA;
  }
  if (total > MAX_SCHEMA_CHARS) {
    const name = { type: 'string', enum: tools.map((tool) => tool.name) };
    return buildClosedObject({ name, parameters: ANY_OBJECT_SCHEMA }, ['name', 'parameters']);
  }
  return { anyOf: tools.map(branchOf) };
}

/** Reduces a parameter schema to the keywords that shape the grammar. Anything else is unrestricted. */
function reduceSchema(schema: unknown, depth = 0): JsonSchema {
  if (!isRecord(schema) || depth > MAX_DEPTH) return {};
  const union = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (union) return { anyOf: union.map((part: unknown) => reduceSchema(part, depth + 1)) };
  if (Array.isArray(schema.enum)) return { enum: schema.enum };
  if ('const' in schema) return { const: schema.const };
  if (schema.type === 'array') return { type: 'array', items: reduceSchema(schema.items, depth + 1) };
  if (schema.type === 'object' || isRecord(schema.properties)) return reduceObjectSchema(schema, depth);
  return schema.type === undefined ? {} : { type: schema.type };
}

function reduceObjectSchema(schema: JsonSchema, depth: number): JsonSchema {
  const { properties, additionalProperties, required } = schema;
  if (!isRecord(properties)) {
    if (!isRecord(additionalProperties)) return { ...ANY_OBJECT_SCHEMA };
    return { type: 'object', additionalProperties: reduceSchema(additionalProperties, depth + 1) };
  }
  const entries = Object.entries(properties).map(
    ([key, value]) => [key, reduceSchema(value, depth + 1)] as const,
  );
  const names = Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
  return buildClosedObject(Object.fromEntries(entries), names);
}

/**
 * Formats the tools for the prompt, one line each: `name(file_path: string, limit?: integer): description`, followed by
 * a line for each described parameter. Byte-stable, in the order of the definitions.
 */
export function describeToolsAsText(definitions: readonly ToolDefinition[]): string {
  return definitions
    .map(({ function: { name, description, parameters } }) => {
      const schema: JsonSchema = isRecord(parameters) ? parameters : {};
      const required = Array.isArray(schema.required) ? schema.required : [];
      const properties = Object.entries(isRecord(schema.properties) ? schema.properties : {});
      const signature = properties.map(
        ([key, value]) => `${key}${required.includes(key) ? '' : '?'}: ${typeNameOf(value)}`,
      );
      const descriptions = properties.flatMap(([key, value]) =>
        isRecord(value) && typeof value.description === 'string'
          ? [`    ${key}: ${value.description.replaceAll('\n', '\n      ')}`]
          : [],
      );
      return [`- ${name}(${signature.join(', ')}): ${description}`, ...descriptions].join('\n');
    })
    .join('\n');
}

function typeNameOf(schema: unknown, depth = 0): string {
  if (!isRecord(schema) || depth > MAX_DEPTH) return 'any';
  const union = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (union) return union.map((part: unknown) => typeNameOf(part, depth + 1)).join('|');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join('|');
  if (schema.type === 'array') return `${typeNameOf(schema.items, depth + 1)}[]`;
  if (isRecord(schema.properties)) {
    const fields = Object.entries(schema.properties);
    return `{${fields.map(([key, value]) => `${key}: ${typeNameOf(value, depth + 1)}`).join(', ')}}`;
  }
  return typeof schema.type === 'string' ? schema.type : 'any';
}

const MAX_SHOWN_CHARS = 200;

/**
 * Returns the correction of a malformed answer in structured or text mode: the problem, the answer's beginning, and the
 * right shape. `reason` comes from `parseToolCalls`.
 */
export function buildStructuredCorrection(
  reason: string,
  { content = '', approval = false }: { content?: string; approval?: boolean } = {},
): string {
  const excerpt = content.trim().slice(0, MAX_SHOWN_CHARS);
  return [
    `Your answer could not be used: ${reason}.`,
    ...(excerpt === '' ? [] : [`Wrong: ${excerpt}${excerpt.length < content.trim().length ? '…' : ''}`]),
    'Right, to use tools: {"tool_calls": [{"name": "read_file", "parameters": {"file_path": "src/main.ts"}}]}',
    'Right, when everything is done: {"response": "what you did and how it was checked"}',
    ...(approval ? ['Right, to ask a person: {"request_approval": "your question"}'] : []),
    'Answer with exactly one such JSON object and nothing else. `tool_calls` is an array and never stands beside `response`.',
  ].join('\n');
}
