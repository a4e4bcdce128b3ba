/**
 * Reduces the arguments of a server's tool to what a small model can read: a few keywords, with references resolved,
 * then less and less until the schema fits the budget. Nothing of a schema is ever run. Pure.
 */
import { isRecord } from '../../values/json.ts';
import { clip } from '../../values/shortening.ts';
import type { ParametersSchema } from '../json-parameters.ts';
import type { ListedTool } from './types.ts';

type Schema = Record<string, unknown>;

/** How much of a schema remains, from most to least. */
interface Detail {
  descriptionChars: number;
  /** Levels below the arguments themselves. */
  depth: number;
  optional: boolean;
}
const DETAILS: readonly Detail[] = [
  { descriptionChars: 120, depth: 3, optional: true },
  { descriptionChars: 60, depth: 2, optional: true },
  { descriptionChars: 40, depth: 0, optional: true },
  { descriptionChars: 0, depth: 0, optional: true },
  { descriptionChars: 0, depth: 0, optional: false },
];

const MAX_DESCRIPTION_CHARS = 200;
const MAX_PARAMETERS = 40;
const MAX_ENUM = 20;
const PARAMETER_NAME = /^[\w$.-]{1,64}$/u;

export interface CutTool {
  description: string;
  parameters: ParametersSchema;
}

/** Returns undefined if even the smallest form exceeds `maxBytes`, or a required argument cannot be named. */
export function cutTool(
  { name, description, inputSchema }: ListedTool,
  maxBytes: number,
): CutTool | undefined {
  const words = oneLine(description ?? name, MAX_DESCRIPTION_CHARS);
  for (const detail of DETAILS) {
    const parameters = new Cutter(inputSchema, detail).parameters();
    if (parameters === undefined) return undefined;
    if (bytesOf({ description: words, parameters }) <= maxBytes) return { description: words, parameters };
  }
  return undefined;
}

/** Returns about the tool's share of the prompt. */
export const bytesOf = (tool: CutTool): number => Buffer.byteLength(JSON.stringify(tool));

/** Reduces a schema to one level of detail; a recursive schema ends at the depth limit. */
class Cutter {
  readonly #root: Schema;
  readonly #detail: Detail;

  constructor(root: Schema, detail: Detail) {
    this.#root = root;
    this.#detail = detail;
  }

  parameters(): ParametersSchema | undefined {
    const { properties, required } = this.#resolve(this.#root);
    const known = isRecord(properties) ? properties : {};
    const wanted = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
    const isUsable = (name: string) => Object.hasOwn(known, name) && PARAMETER_NAME.test(name);
    if (wanted.length > MAX_PARAMETERS || !wanted.every(isUsable)) return undefined;
    const kept = Object.keys(known)
      .filter((name) => isUsable(name) && (this.#detail.optional || wanted.includes(name)))
      .toSorted((a, b) => Number(wanted.includes(b)) - Number(wanted.includes(a)))
      .slice(0, MAX_PARAMETERS);
    const entries = kept.map((name) => [name, this.#value(known[name], 0)] as const);
    return {
      type: 'object',
      properties: Object.fromEntries(entries),
      ...(wanted.length > 0 ? { required: wanted } : {}),
    };
  }

  #value(given: unknown, level: number): Schema {
    const schema = this.#resolve(given);
    const { descriptionChars, depth } = this.#detail;
    const kept: Schema = {};
    const type = typeOf(schema);
    if (type !== undefined) kept.type = type;
    if (typeof schema.description === 'string' && descriptionChars > 0)
      kept.description = oneLine(schema.description, descriptionChars);
    const values = valuesOf(schema);
    if (values) {
      kept.enum = values;
      delete kept.type;
    }
    for (const bound of ['minimum', 'maximum'])
      if (typeof schema[bound] === 'number') kept[bound] = schema[bound];
    if (level >= depth) return kept;
    if (isRecord(schema.items)) kept.items = this.#value(schema.items, level + 1);
    if (isRecord(schema.properties)) kept.properties = this.#properties(schema.properties, level + 1);
    return kept;
  }

  #properties(properties: Schema, level: number): Schema {
    const entries = Object.entries(properties)
      .slice(0, MAX_PARAMETERS)
      .map(([name, schema]) => [name.slice(0, 64), this.#value(schema, level)] as const);
    return Object.fromEntries(entries);
  }

  /** Resolves references within the schema, and a union whose only other alternative is null. */
  #resolve(given: unknown): Schema {
    let schema = isRecord(given) ? given : {};
    for (let hops = 0; hops < 5; hops += 1) {
      const { description } = schema;
      const next = this.#target(schema.$ref) ?? onlyAlternative(schema);
      if (!next) break;
      schema = description === undefined ? next : { ...next, description };
    }
    return schema;
  }

  #target(reference: unknown): Schema | undefined {
    if (reference === '#') return this.#root;
    if (typeof reference !== 'string' || !reference.startsWith('#/') || reference.length > 200)
      return undefined;
    let at: unknown = this.#root;
    for (const key of reference.slice(2).split('/'))
      at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    return isRecord(at) ? at : undefined;
  }
}

function onlyAlternative({ anyOf, oneOf }: Schema): Schema | undefined {
  const alternatives = [anyOf, oneOf].find(Array.isArray);
  const [only, another] = (alternatives ?? []).filter((schema) => isRecord(schema) && schema.type !== 'null');
  return isRecord(only) && another === undefined ? only : undefined;
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);

/** Returns undefined if several types are allowed, so that the model may send any of them. */
function typeOf({ type }: Schema): string | undefined {
  const named = (Array.isArray(type) ? type : [type]).filter((name) => name !== 'null');
  const [only] = named;
  return named.length === 1 && typeof only === 'string' && TYPES.has(only) ? only : undefined;
}

/** Returns the allowed values; undefined for a long list: the server itself rejects invalid values. */
function valuesOf(schema: Schema): (string | number)[] | undefined {
  const given = 'const' in schema ? [schema.const] : schema.enum;
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_ENUM) return undefined;
  const isShort = (value: unknown): value is string | number =>
    typeof value === 'number' || (typeof value === 'string' && value.length <= 64);
  return given.every(isShort) ? given : undefined;
}

/** Replaces control characters and shortens a text to one line. */
const oneLine = (text: string, maxChars: number): string =>
  clip(text.slice(0, maxChars * 8).replaceAll(/\p{C}+/gu, ' '), maxChars);
