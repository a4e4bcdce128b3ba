/**
 * Converts a model's arguments to the types of the tool's JSON Schema: `"true"` → true, `"42"` → 42, a JSON string to
 * an object or array, a single value to an array. Text stays text if the schema allows text. Values that do not fit
 * stay unchanged, so that validation reports them. Names are not changed.
 */
import { isRecord } from '../base/values/json.ts';
import { readWholeLiteral } from '../base/values/literal.ts';

type JsonSchema = Record<string, unknown>;

const MAX_DEPTH = 32;
const INTEGER_PATTERN = /^[+-]?\d{1,16}(\.0{1,16})?$/;
const NUMBER_PATTERN = /^[+-]?(\d{1,64}\.?\d{0,64}|\.\d{1,64})([eE][+-]?\d{1,3})?$/;

/**
 * Returns a new object in which every value is converted to its type in `jsonSchema`; unknown parameters stay. For an optional parameter
 * that allows neither null nor text, a null, or a word for it, is omitted. Never throws.
 */
export function coerceArguments(args: Record<string, unknown>, jsonSchema: unknown): Record<string, unknown> {
  return coerceObject(args, isRecord(jsonSchema) ? jsonSchema : {}, 0);
}

function coerceObject(object: Record<string, unknown>, schema: JsonSchema, depth: number) {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const entries: [string, unknown][] = [];
  for (const [key, value] of Object.entries(object)) {
    const parameterSchema = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
    if (!isRecord(parameterSchema)) {
      entries.push([key, value]);
      continue;
    }
    const types = typesOf(parameterSchema);
    if (
      isNullWord(value) &&
      types.size > 0 &&
      !types.has('string') &&
      !required.includes(key) &&
      !types.has('null')
    )
      continue;
    const coerced = coerceValue(value, parameterSchema, depth + 1);
    if (coerced === null && types.size > 0 && !types.has('null') && !required.includes(key)) continue;
    entries.push([key, coerced]);
  }
  return Object.fromEntries(entries);
}

const isNullWord = (value: unknown): boolean =>
  typeof value === 'string' && /^\s{0,8}(?:null|none|undefined)?\s{0,8}$/i.test(value);

function coerceValue(value: unknown, schema: JsonSchema, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  const types = typesOf(schema);
  if (types.size === 0) return value;
  if (hasType(value, types)) return coerceContent(value, schema, depth);
  const converted = typeof value === 'string' ? parseAsType(value, types) : undefined;
  if (converted !== undefined) return coerceContent(converted, schema, depth);
  if (types.has('array') && value !== null && value !== undefined) {
    const items = findPartOfType(schema, 'array')?.items;
    return [isRecord(items) ? coerceValue(value, items, depth + 1) : value];
  }
  return value;
}

/** Converts the content of an object or an array whose outer type is already right. */
function coerceContent(value: unknown, schema: JsonSchema, depth: number): unknown {
  if (Array.isArray(value)) {
    const items = findPartOfType(schema, 'array')?.items;
    return isRecord(items) ? value.map((item: unknown) => coerceValue(item, items, depth + 1)) : value;
  }
  if (isRecord(value)) return coerceObject(value, findPartOfType(schema, 'object') ?? {}, depth);
  return value;
}

/** Parses a text as one of the types, other than string; undefined if it matches none of them. */
function parseAsType(text: string, types: ReadonlySet<string>): unknown {
  const trimmed = text.trim();
  const lower = trimmed.length <= 5 ? trimmed.toLowerCase() : '';
  if (types.has('boolean') && (lower === 'true' || lower === 'false')) return lower === 'true';
  if (types.has('null') && (lower === 'null' || lower === 'none')) return null;
  const number = trimmed.length <= 140 ? Number(trimmed) : Number.NaN;
  if (types.has('integer') && INTEGER_PATTERN.test(trimmed) && Number.isSafeInteger(number)) return number;
  if (types.has('number') && NUMBER_PATTERN.test(trimmed) && Number.isFinite(number)) return number;
  if (types.has('object') && trimmed.startsWith('{')) return parseLiteralOf(trimmed, isRecord);
  if (types.has('array') && trimmed.startsWith('[')) return parseLiteralOf(trimmed, Array.isArray);
  return undefined;
}

function parseLiteralOf(text: string, accepts: (value: unknown) => boolean): unknown {
  const read = readWholeLiteral(text);
  return read.ok && accepts(read.value) ? read.value : undefined;
}

function hasType(value: unknown, types: ReadonlySet<string>): boolean {
  if (value === null) return types.has('null');
  if (Array.isArray(value)) return types.has('array');
  if (typeof value === 'number')
    return types.has('number') || (types.has('integer') && Number.isInteger(value));
  return types.has(typeof value);
}

/** Returns the JSON types that a schema allows, including those of its unions; empty if the schema names no type. */
function typesOf(schema: JsonSchema): ReadonlySet<string> {
  const types = new Set<string>();
  for (const part of partsOf(schema)) {
    const typeNames = Array.isArray(part.type) ? part.type : [part.type];
    for (const type of typeNames) if (typeof type === 'string') types.add(type);
    if (part.type !== undefined) continue;
    const values = Array.isArray(part.enum) ? part.enum : 'const' in part ? [part.const] : [];
    for (const value of values as unknown[]) types.add(value === null ? 'null' : typeof value);
    if (isRecord(part.properties)) types.add('object');
  }
  return types;
}

function findPartOfType(schema: JsonSchema, type: 'array' | 'object'): JsonSchema | undefined {
  return partsOf(schema).find(
    (part) => part.type === type || (Array.isArray(part.type) && part.type.includes(type)),
  );
}

/** Returns a schema and the branches of its unions, down to two levels. */
function partsOf(schema: JsonSchema, depth = 0): JsonSchema[] {
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => {
    const value = schema[key];
    return Array.isArray(value) ? value.filter(isRecord) : [];
  });
  return depth >= 2 ? [schema] : [schema, ...branches.flatMap((branch) => partsOf(branch, depth + 1))];
}
