/**
 * Building blocks of the frame schemas. On the wire null and missing mean the same,
 * so an optional field reads as undefined in both cases.
 */
import * as z from 'zod';
import { MAX_FIELD_CHARS } from './limits.ts';

/** Null and missing both become undefined. */
export const optional = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value): z.output<T> | undefined => value ?? undefined);

/** Null and missing both become `fallback`, a fresh copy each time. */
export const orElse = <T extends z.ZodType>(schema: T, fallback: () => z.output<T>) =>
  schema.nullish().transform((value): z.output<T> => value ?? fallback());

export const taskId = z.string().min(1).max(256);
export const integer = z.number().int();
/** A string with the length that the public hub accepts for this field. */
export const limited = (field: keyof typeof MAX_FIELD_CHARS) => z.string().max(MAX_FIELD_CHARS[field]);

/** What is wrong with a value, field by field; `where` names what has no fields of its own. */
export const issuesOf = ({ issues }: z.ZodError, where: string) =>
  issues.slice(0, 20).map(({ path, message }) => ({ field: path.join('.') || where, detail: message }));

/** Any of these frames, distinguished by `type`. */
export const unionOf = <S extends z.ZodObject<{ type: z.ZodLiteral<string> }>>(
  schemas: Readonly<Record<string, S>>,
) => z.discriminatedUnion('type', Object.values(schemas) as [S, ...S[]]);
