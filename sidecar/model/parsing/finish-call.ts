/**
 * The last steps that all layers share: arguments as an object (or raw text that dispatch will refuse), names
 * for values that came without, and the types that the tool's schema asks for.
 */
import { isRecord, parseJson } from '../../values/json.ts';
import { coerceArguments } from '../../tools/coercion.ts';
import { bareName } from './formats/format.ts';
import { mendJson } from './json-value.ts';
import { schemaWithAliases, type KnownTools } from './known-tools.ts';
import type { ParsedCall, RawCall } from './result.ts';
import type { Source } from './source.ts';

export function finishCall(raw: RawCall, tools: KnownTools, source: Source): ParsedCall {
  const bare = bareName(raw.name);
  const name = tools.knows(bare) && !tools.isExact(raw.name) ? bare : raw.name;
  const schema = tools.schemaOf(name);
  const read = readArgumentObject(raw.arguments, source);
  const named = typeof read.value === 'string' ? read.value : withPositional(read.value, raw, schema);
  const repaired = raw.repaired || read.repaired;
  return {
    ...(raw.id !== undefined && { id: raw.id }),
    name,
    arguments: typeof named === 'string' ? named : coerceArguments(named, schemaWithAliases(schema, named)),
    ...(repaired && { repaired: true }),
  };
}

function readArgumentObject(
  value: unknown,
  source: Source,
): { value: Record<string, unknown> | string; repaired: boolean } {
  if (value === null || value === undefined) return { value: {}, repaired: false };
  if (isRecord(value)) return { value, repaired: false };
  if (typeof value === 'string') return readArgumentText(value, source);
  if (Array.isArray(value) && value.length === 0) return { value: {}, repaired: false };
  return { value: textOf(value), repaired: false };
}

function readArgumentText(text: string, source: Source) {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null' || trimmed === 'None') return { value: {}, repaired: false };
  let value = parseJson(trimmed);
  // Some servers encode the text twice.
  if (typeof value === 'string') value = parseJson(value);
  if (isRecord(value)) return { value, repaired: false };
  if (trimmed.startsWith('{')) {
    const mended = mendJson(source, trimmed);
    if (mended.ok && isRecord(mended.value)) return { value: mended.value, repaired: true };
  }
  return { value: text, repaired: false };
}

function withPositional(
  args: Record<string, unknown>,
  { positional }: RawCall,
  schema: Record<string, unknown> | undefined,
): Record<string, unknown> {
  if (!positional) return args;
  const free = Object.keys(isRecord(schema?.properties) ? schema.properties : {}).filter(
    (key) => !(key in args),
  );
  const named = positional.slice(0, free.length).map((value, i) => [free[i] ?? '', value] as const);
  return { ...Object.fromEntries(named), ...args };
}

/** A value as JSON text; never throws (deep nesting makes JSON.stringify overflow). */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
