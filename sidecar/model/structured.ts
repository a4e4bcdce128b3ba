/**
 * Structured mode: the JSON Schema that the server converts to a grammar, the tools as text for the prompt, and the
 * correction of a malformed answer. The schema uses only what llama.cpp's grammar builder supports well: whole objects
 * under `anyOf`, `const`, inlined types; no `oneOf`, `$ref`, `pattern` or numeric bounds, which the tool's validation
 * checks later.
 */
import { isRecord } from '../base/values/json.ts';
import type { ToolDefinition } from './chat.ts';

/**
 * Limit of the schema as JSON: a larger grammar costs the server seconds per request. Above it the largest parameter
 * schemas become `{"type": "object"}` until it fits; if it still does not, all tools share one branch whose `name` is
 * an enumeration.
 */
export const maxSchemaCharacters = 24_000;

const maxDepth = 8;
const anyObject = { type: 'object' } as const;

type Schema = Record<string, unknown>;

/**
 * Returns the `format` of a request: exactly one of `{"tool_calls": [{"name", "parameters"}, …]}`, `{"response": "…"}`
 * and, if `approval` is allowed, `{"request_approval": "…"}`. Deterministic: the same definitions give the same bytes.
 */
export function structuredSchema(
  definitions: readonly ToolDefinition[],
  { approval = false }: { approval?: boolean } = {},
): object {
  const branches = [branch('response', { type: 'string' })];
  if (approval) branches.push(branch('request_approval', { type: 'string' }));
  if (definitions.length === 0) return { anyOf: branches };
  const calls = { type: 'array', minItems: 1, items: callSchema(definitions) };
  return { anyOf: [branch('tool_calls', calls), ...branches] };
}

function branch(key: string, value: object): Schema {
  return closedObject({ [key]: value }, [key]);
}

function closedObject(properties: Record<string, object>, required: readonly string[]): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function callSchema(definitions: readonly ToolDefinition[]): Schema {
  const tools = definitions.map(({ function: { name, parameters } }) => ({
    name,
    schema: terse(parameters),
  }));
  const size = (value: unknown) => JSON.stringify(value).length;
  const branchOf = (tool: { name: string; schema: object }) =>
    closedObject({ name: { const: tool.name }, parameters: tool.schema }, ['name', 'parameters']);
  const largestFirst = [...tools].sort((a, b) => size(b.schema) - size(a.schema));
  let total = size(tools.map(branchOf));
  for (const tool of largestFirst) {
    if (total <= maxSchemaCharacters) break;
    total -= size(tool.schema) - size(anyObject);
    tool.schema = anyObject;
  }
  if (total > maxSchemaCharacters) {
    const name = { type: 'string', enum: tools.map((tool) => tool.name) };
    return closedObject({ name, parameters: anyObject }, ['name', 'parameters']);
  }
  return { anyOf: tools.map(branchOf) };
}

/** Reduces a parameter schema to what shapes the grammar; anything else becomes unrestricted. */
function terse(schema: unknown, depth = 0): Schema {
  if (!isRecord(schema) || depth > maxDepth) return {};
  const union = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (union) return { anyOf: union.map((part: unknown) => terse(part, depth + 1)) };
  if (Array.isArray(schema.enum)) return { enum: schema.enum };
  if ('const' in schema) return { const: schema.const };
  if (schema.type === 'array') return { type: 'array', items: terse(schema.items, depth + 1) };
  if (schema.type === 'object' || isRecord(schema.properties)) return terseObject(schema, depth);
  return schema.type === undefined ? {} : { type: schema.type };
}

function terseObject(schema: Schema, depth: number): Schema {
  const { properties, additionalProperties, required } = schema;
  if (!isRecord(properties)) {
    if (!isRecord(additionalProperties)) return { ...anyObject };
    return { type: 'object', additionalProperties: terse(additionalProperties, depth + 1) };
  }
  const entries = Object.entries(properties).map(([key, value]) => [key, terse(value, depth + 1)] as const);
  const names = Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
  return closedObject(Object.fromEntries(entries), names);
}

/**
 * Formats the tools for the prompt, one line each: `name(file_path: string, limit?: integer): description`, followed by
 * a line for each described parameter. Byte-stable, in the order of the definitions.
 */
export function describeToolsAsText(definitions: readonly ToolDefinition[]): string {
  return definitions
    .map(({ function: { name, description, parameters } }) => {
      const schema: Schema = isRecord(parameters) ? parameters : {};
      const required = Array.isArray(schema.required) ? schema.required : [];
      const properties = Object.entries(isRecord(schema.properties) ? schema.properties : {});
      const listed = properties.map(
        ([key, value]) => `${key}${required.includes(key) ? '' : '?'}: ${typeName(value)}`,
      );
      const explained = properties.flatMap(([key, value]) =>
        isRecord(value) && typeof value.description === 'string'
          ? [`    ${key}: ${value.description.replaceAll('\n', '\n      ')}`]
          : [],
      );
      return [`- ${name}(${listed.join(', ')}): ${description}`, ...explained].join('\n');
    })
    .join('\n');
}

function typeName(schema: unknown, depth = 0): string {
  if (!isRecord(schema) || depth > maxDepth) return 'any';
  const union = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (union) return union.map((part: unknown) => typeName(part, depth + 1)).join('|');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join('|');
  if (schema.type === 'array') return `${typeName(schema.items, depth + 1)}[]`;
  if (isRecord(schema.properties)) {
    const fields = Object.entries(schema.properties);
    return `{${fields.map(([key, value]) => `${key}: ${typeName(value, depth + 1)}`).join(', ')}}`;
  }
  return typeof schema.type === 'string' ? schema.type : 'any';
}

const maxShownCharacters = 200;

/**
 * Returns the correction of a malformed answer in structured or text mode: the problem, the answer's beginning, and the
 * right shape. `reason` comes from `parseToolCalls`.
 */
export function structuredCorrection(
  reason: string,
  { content = '', approval = false }: { content?: string; approval?: boolean } = {},
): string {
  const shown = content.trim().slice(0, maxShownCharacters);
  return [
    `Your answer could not be used: ${reason}.`,
    ...(shown === '' ? [] : [`Wrong: ${shown}${shown.length < content.trim().length ? '…' : ''}`]),
    'Right, to use tools: {"tool_calls": [{"name": "read_file", "parameters": {"file_path": "src/main.ts"}}]}',
    'Right, when everything is done: {"response": "what you did and how it was checked"}',
    ...(approval ? ['Right, to ask a person: {"request_approval": "your question"}'] : []),
    'Answer with exactly one such JSON object and nothing else. `tool_calls` is an array and never stands beside `response`.',
  ].join('\n');
}
