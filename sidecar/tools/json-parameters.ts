/**
 * Converts arguments that an operator or a server declares in JSON Schema to zod. Only the top level is checked, by type, allowed values
 * and bounds. Patterns are never run, since a hostile pattern could block the process. Pure.
 */
import * as z from 'zod';
import { isRecord } from '../base/values/json.ts';

export interface ParametersSchema {
  type: 'object';
  properties: Record<string, Record<string, unknown>>;
  required?: readonly string[];
  /** Whether arguments that are not in `properties` are passed on. */
  additionalProperties?: boolean;
}

/** Returns the zod schema; parameters not listed in `required` are optional. */
export function zodSchemaOf({ properties, required = [] }: ParametersSchema): z.ZodObject {
  const shape = Object.entries(properties).map(([name, schema]) => {
    const value = zodTypeOf(schema);
    return [name, required.includes(name) ? value : value.optional()] as const;
  });
  return z.object(Object.fromEntries(shape));
}

function zodTypeOf(schema: Record<string, unknown>): z.ZodType {
  if (Array.isArray(schema.enum)) return zodEnumOf(schema.enum);
  if (schema.type === 'string') {
    const { maxLength } = schema;
    return typeof maxLength === 'number' ? z.string().max(maxLength) : z.string();
  }
  if (schema.type === 'integer') return addBounds(z.number().int(), schema);
  if (schema.type === 'number') return addBounds(z.number(), schema);
  if (schema.type === 'boolean') return z.boolean();
  if (schema.type === 'array') return z.array(z.unknown());
  if (schema.type === 'object') return z.custom<object>(isRecord, { error: 'expected object' });
  return z.unknown().refine((value) => value !== undefined);
}

function zodEnumOf(values: readonly unknown[]): z.ZodType {
  const literals = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  const isAllowed = (value: unknown) => values.includes(value);
  return literals.length === values.length && values.length > 0
    ? z.literal(literals)
    : z.unknown().refine(isAllowed, { error: `expected one of ${JSON.stringify(values).slice(0, 200)}` });
}

function addBounds(number: z.ZodNumber, { minimum, maximum }: Record<string, unknown>): z.ZodNumber {
  const bounded = typeof minimum === 'number' ? number.min(minimum) : number;
  return typeof maximum === 'number' ? bounded.max(maximum) : bounded;
}
