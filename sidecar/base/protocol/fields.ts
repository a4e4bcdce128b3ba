/**
 * Building blocks of the frame schemas. In a frame, null and missing mean the same, so an optional field is parsed as undefined in both
 * cases.
 */
import * as z from 'zod';
import { MAX_FIELD_CHARS } from './limits.ts';

/** Makes a field optional: null and missing both become undefined. */
export const makeOptional = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value): z.output<T> | undefined => value ?? undefined);

/** Gives a field a default: null and missing both become a new value from `fallback`. */
export const addDefault = <T extends z.ZodType>(schema: T, fallback: () => z.output<T>) =>
  schema.nullish().transform((value): z.output<T> => value ?? fallback());

export const taskIdSchema = z.string().min(1).max(256);
export const integerSchema = z.number().int();
/** Returns the schema of a string with the maximum length that the public hub accepts for the field. */
export const createFieldSchema = (field: keyof typeof MAX_FIELD_CHARS) =>
  z.string().max(MAX_FIELD_CHARS[field]);

/** Returns up to 20 problems of a value, each with the name of its field. `valueName`: name for problems of the value itself. */
export const issuesOf = ({ issues }: z.ZodError, valueName: string) =>
  issues.slice(0, 20).map(({ path, message }) => ({ field: path.join('.') || valueName, detail: message }));

/** Returns a schema of the union of frames, distinguished by `type`. */
export const unionOf = <S extends z.ZodObject<{ type: z.ZodLiteral<string> }>>(
  schemas: Readonly<Record<string, S>>,
) => z.discriminatedUnion('type', Object.values(schemas) as [S, ...S[]]);
