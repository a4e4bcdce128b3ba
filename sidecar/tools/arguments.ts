/**
 * Prepares a model's arguments for a tool's schema: parses and repairs text, resolves names, converts values, drops unknown arguments. The
 * reason for a failure is written for the model.
 */
import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { isRecord, parseJson } from '../base/values/json.ts';
import { readWholeLiteral } from '../base/values/literal.ts';
import { shorten } from '../base/values/shortening.ts';
import { resolveArgumentAliases } from './argument-aliases.ts';
import { coerceArguments } from './coercion.ts';
import type { ArgumentsSchema } from './definitions.ts';
import { readSearchReplace } from '../parsing/editing/search-replace.ts';
import type { RegisteredTool } from './types.ts';
import { success } from '../base/values/outcome.ts';

export type PreparedArguments =
  | {
      ok: true;
      args: Record<string, unknown>;
      validated: unknown;
      ignoredNames: string[];
      /** Whether the arguments were repaired, unwrapped, or converted to other types. */
      repaired: boolean;
    }
  | { ok: false; message: string };

const MAX_SHOWN_VALUE_CHARS = 60;

/** Validates and coerces the arguments of a call. Never throws, whatever a model sends. */
export function prepareArguments(
  tool: RegisteredTool,
  schema: ArgumentsSchema,
  sentArgs: unknown,
): PreparedArguments {
  const fail = (message: string): PreparedArguments => ({
    ok: false,
    message: `Invalid arguments for ${tool.name}: ${message}`,
  });
  const parsed = parseArguments(sentArgs, { mayGuess: tool.readOnly });
  if (!parsed.ok) return fail(parsed.message);
  const presentArgs = dropNulls(parsed.value);
  const withoutSchema = unwrapSchema(presentArgs, schema.properties);
  const unwrapped = unwrapEditBlock(unwrapSingleEdit(withoutSchema, schema.properties), schema);
  if (typeof unwrapped === 'string') return fail(unwrapped);
  const resolvedNames = resolveArgumentAliases(unwrapped, schema.properties);
  const resolved = coerceArguments(unwrapPlainValues(resolvedNames, schema), schema.json);
  const repaired =
    !isJson(sentArgs) || unwrapped !== presentArgs || !isDeepStrictEqual(resolvedNames, resolved);
  const isKnown = (key: string): boolean => schema.isOpen || schema.properties.has(key);
  const ignored = Object.keys(resolved).filter((key) => !isKnown(key));
  const args = Object.fromEntries(Object.entries(resolved).filter(([key]) => isKnown(key)));
  const validation = tool.schema.safeParse(args);
  if (!validation.success) return fail(describeIssues(validation.error.issues, args));
  return { ok: true, args, validated: validation.data, ignoredNames: ignored, repaired };
}

/** Returns whether the arguments are valid JSON, so that their text needed no repair. */
const isJson = (sentArgs: unknown): boolean =>
  typeof sentArgs !== 'string' || sentArgs.trim() === '' || parseJson(sentArgs) !== undefined;

type ParsedObject = { ok: true; value: Record<string, unknown> } | { ok: false; message: string };

type ParsedJson = { ok: true; value: unknown } | { ok: false; reason: string };

/**
 * Parses JSON, or else the relaxed grammar. `mayGuess`: whether an uncertain end of a text may be guessed, which tools with effects do not
 * allow.
 */
function parseRelaxedJson(text: string, mayGuess: boolean): ParsedJson {
  const literal = readWholeLiteral(text);
  if (literal.ok) return literal;
  const guess = mayGuess ? readWholeLiteral(text, { mayGuess: true }) : literal;
  if (guess.ok) return guess;
  return {
    ok: false,
    reason: `${literal.reason}. Send the whole call again: inside a text write \\" for each quote and \\n for each line break`,
  };
}

function parseArguments(sentArgs: unknown, { mayGuess }: { mayGuess: boolean }): ParsedObject {
  if (sentArgs === undefined || sentArgs === null || sentArgs === '') return success({});
  const readText = (value: unknown): ParsedJson =>
    typeof value === 'string' ? parseRelaxedJson(value, mayGuess) : success(value);
  const firstReading = readText(sentArgs);
  // Some models encode the text twice.
  const decoded = firstReading.ok ? readText(firstReading.value) : firstReading;
  if (!decoded.ok)
    return { ok: false, message: `not valid JSON (${decoded.reason}): ${formatValue(sentArgs)}` };
  const inner = decoded.value;
  if (!isRecord(inner))
    return { ok: false, message: `expected an object with named arguments, received ${formatValue(inner)}` };
  return success(inner);
}

/** Unwraps arguments that are inside a copied schema, as small models send them: `{"type": "object", "properties": {…}}`. */
function unwrapSchema(
  args: Record<string, unknown>,
  properties: ReadonlySet<string>,
): Record<string, unknown> {
  const inner = args.properties;
  return isRecord(inner) && Object.keys(args).every((key) => !properties.has(key)) ? inner : args;
}

/** Unwraps a list with a single edit. Some models learned such lists from editors that take several edits at once. */
function unwrapSingleEdit(
  args: Record<string, unknown>,
  properties: ReadonlySet<string>,
): Record<string, unknown> {
  const { edits, ...rest } = args;
  if (!Array.isArray(edits) || properties.has('edits') || !properties.has('old_string')) return args;
  const [only, another] = edits as unknown[];
  return isRecord(only) && another === undefined ? { ...rest, ...only } : args;
}

/**
 * Converts a search-and-replace block in `diff` to the arguments of an edit. Returns a message for the model if there are several blocks.
 */
function unwrapEditBlock(
  args: Record<string, unknown>,
  { properties }: ArgumentsSchema,
): Record<string, unknown> | string {
  const { diff, ...rest } = args;
  if (typeof diff !== 'string' || properties.has('diff') || !properties.has('old_string')) return args;
  const [only, ...others] = readSearchReplace(diff) ?? [];
  if (!only) return args;
  if (others.length > 0) return `diff contains ${others.length + 1} edits. Send one call for each edit`;
  return { ...rest, old_string: only.search, new_string: only.replace };
}

/** Unwraps texts and numbers that were given inside an object or a list. */
function unwrapPlainValues(
  args: Record<string, unknown>,
  { json }: ArgumentsSchema,
): Record<string, unknown> {
  const properties = 'properties' in json && isRecord(json.properties) ? json.properties : {};
  const isJsonFile = typeof args.file_path === 'string' && /\.json$/i.test(args.file_path);
  const entries = Object.entries(args).map(([key, value]) => {
    const property = properties[key];
    const isPlain = isRecord(property) && PLAIN_TYPES.has(String(property.type));
    if (!isPlain || typeof value !== 'object' || value === null) return [key, value] as const;
    if (isJsonFile && key === 'content') return [key, `${JSON.stringify(value, undefined, 2)}\n`] as const;
    if (Array.isArray(value)) return [key, value.length === 1 ? (value[0] as unknown) : value] as const;
    return [key, isTypedValue(value) ? value.value : value] as const;
  });
  return Object.fromEntries(entries);
}

const PLAIN_TYPES = new Set(['string', 'integer', 'number', 'boolean']);
const TYPED_VALUE_KEYS = new Set(['type', 'value', 'description']);

/** Matches a value such as `{"type": "string", "value": "a.ts"}`, as some small models fill in a schema. */
const isTypedValue = (value: object): value is { type: unknown; value: unknown } =>
  'type' in value && 'value' in value && Object.keys(value).every((key) => TYPED_VALUE_KEYS.has(key));

/** Removes nulls, which models write for omitted arguments. */
function dropNulls(args: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(args);
  return entries.some(([, value]) => value === null)
    ? Object.fromEntries(entries.filter(([, value]) => value !== null))
    : args;
}

/** Describes each invalid field with the expected and the received value: `limit: expected int, received "abc"`. */
function describeIssues(issues: readonly z.core.$ZodIssue[], args: unknown): string {
  return issues.map((issue) => describeIssue(issue, args)).join('; ');
}

function describeIssue(issue: z.core.$ZodIssue, args: unknown): string {
  const field = issue.path.map(String).join('.') || 'arguments';
  const value = issue.path.reduce<unknown>(
    (parent, key) =>
      typeof parent === 'object' && parent !== null
        ? (parent as Record<PropertyKey, unknown>)[key]
        : undefined,
    args,
  );
  if (value === undefined) return `${field} is required`;
  if (issue.code === 'too_small' && value === '') return `${field} must not be empty`;
  return `${field}: ${describeExpected(issue)}, received ${formatValue(value)}`;
}

function describeExpected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type')
    return `expected ${issue.expected === 'int' ? 'integer' : issue.expected}`;
  if (issue.code === 'invalid_value') return `expected one of ${issue.values.map(String).join(', ')}`;
  const message = issue.message.replace(/^Too (small|big): /, '').replace(/^Invalid input: /, '');
  return message.replace(/, received .*$/s, '');
}

const formatValue = (value: unknown): string =>
  shorten(JSON.stringify(value) ?? String(value), MAX_SHOWN_VALUE_CHARS + 1);
