/**
 * The last steps that all layers share: arguments as an object (or raw text that dispatch will refuse), names
 * for values that came without, and the types that the tool's schema asks for. A call that may change something is
 * refused where what arrived may not be what was written.
 */
import { isDeepStrictEqual } from 'node:util';
import { isRecord, parseJson } from '../../values/json.ts';
import { editorCall } from '../../tools/aliases.ts';
import { readSearchReplace } from '../../tools/editing/search-replace.ts';
import { coerceArguments } from '../../tools/coercion.ts';
import { readTolerantJson } from '../../values/tolerant-json.ts';
import { elementAdvice } from './formats/element.ts';
import { bareName } from './formats/format.ts';
import { jsonAdvice, mendJson } from './json-value.ts';
import { canonicalName, schemaWithAliases, type KnownTools } from './known-tools.ts';
import type { ParsedCall, RawCall } from './result.ts';
import type { Source } from './source.ts';

/** A call that can be run, or why it cannot and what to send instead. */
export type FinishedCall = { ok: true; call: ParsedCall } | { ok: false; reason: string; raw: ParsedCall };

const maxArgumentLevels = 100;

export function finishCall(raw: RawCall, tools: KnownTools, source: Source): FinishedCall {
  const read = readArgumentObject(raw.arguments, source);
  const { name, value, problem } = meantTool(raw.name, read.value, tools);
  const id = raw.id === undefined ? {} : { id: raw.id };
  const refuse = (reason: string): FinishedCall => ({
    ok: false,
    reason: `the call of ${name} was not run: ${reason}`,
    raw: { ...id, name, arguments: typeof raw.arguments === 'string' ? raw.arguments : '' },
  });
  if (problem !== undefined) return refuse(problem);
  if (isDeeperThan(read.positional ?? value, maxArgumentLevels))
    return refuse(`its arguments are nested deeper than ${maxArgumentLevels} levels`);
  const schema = tools.schemaOf(name);
  const isMended = raw.repaired === true || read.repaired === true;
  const uncertain = raw.uncertain ?? read.uncertain;
  const block = editBlock(withNames(value, read.positional, raw.positional, schema), schema);
  if ('reason' in block) return refuse(block.reason);
  const { named } = block;
  if (tools.hasEffects(name)) {
    if (uncertain !== undefined) return refuse(uncertain);
    const misfit = (isMended || raw.isText) && isRecord(named) ? whyMisfit(named, schema) : undefined;
    if (misfit) return refuse(`${misfit}. ${raw.isText ? elementAdvice : jsonAdvice}`);
  }
  if (typeof named === 'string')
    return { ok: true, call: { ...id, name, arguments: named, ...(isMended && { repaired: true }) } };
  const typed = coerceArguments(named, schemaWithAliases(schema, named));
  const repaired = isMended || uncertain !== undefined || (!raw.isText && !isDeepStrictEqual(named, typed));
  return { ok: true, call: { ...id, name, arguments: typed, ...(repaired && { repaired: true }) } };
}

/** The tool's name without what templates put before it; for an editor with commands, the tool of its command. */
function meantTool(
  called: string,
  value: Record<string, unknown> | string,
  tools: KnownTools,
): { name: string; value: Record<string, unknown> | string; problem?: string } {
  const bare = bareName(called);
  const name = tools.knows(bare) && !tools.isExact(called) ? bare : called;
  const meant = isRecord(value) && !tools.isExact(name) ? editorCall(name, value) : undefined;
  if (!meant) return { name, value };
  return meant.ok ? { name: meant.name, value: meant.args } : { name, value, problem: meant.reason };
}

/** An edit that came as a block of search and replace in `diff`, as some editors teach it. */
function editBlock(
  named: Record<string, unknown> | string,
  schema: Record<string, unknown> | undefined,
): { named: Record<string, unknown> | string } | { reason: string } {
  const properties = isRecord(schema?.properties) ? schema.properties : {};
  if (!isRecord(named) || 'diff' in properties) return { named };
  const { diff, ...rest } = named;
  const isEdit = 'old_string' in properties && 'new_string' in properties;
  if (!isEdit || typeof diff !== 'string') return { named };
  const blocks = readSearchReplace(diff);
  const [only, another] = blocks ?? [];
  if (!only) return { named };
  if (another) return { reason: `it holds ${blocks?.length} edits. Send one call for each of them` };
  return { named: { ...rest, old_string: only.search, new_string: only.replace } };
}

/** Names that models add out of habit; anything else beside a tool's own arguments may be half of a text. */
const habitualNames = new Set(
  (
    'description explanation reason reasoning thought thoughts thinking purpose summary comment note instruction ' +
    'instructions title task_progress requires_approval security_risk is_background run_in_background timeout encoding ' +
    'mode overwrite create_dirs language type id'
  ).split(' '),
);

/** What says that a text was split or that one swallowed the next: an argument that the tool has not, or one too few. */
function whyMisfit(
  args: Record<string, unknown>,
  schema: Record<string, unknown> | undefined,
): string | undefined {
  if (!isRecord(schema?.properties)) return undefined;
  const known = new Set(Object.keys(schema.properties));
  const given = new Map(Object.keys(args).map((key) => [key, canonicalName(key, known)]));
  const strange = [...given].find(([key, name]) => name === undefined && !habitualNames.has(key));
  if (strange) return `it has no argument "${strange[0].slice(0, 40)}"`;
  const names = new Set(given.values());
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const missing = required
    .filter((name): name is string => typeof name === 'string')
    .find((name) => !names.has(name));
  return missing === undefined ? undefined : `the argument "${missing}" is missing`;
}

/** Never recursive: deep values would overflow the stack in everything that comes after. */
function isDeeperThan(value: unknown, maxLevels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= maxLevels; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}

interface ArgumentsRead {
  value: Record<string, unknown> | string;
  /** Values in the order of the tool's own arguments. */
  positional?: unknown[];
  repaired?: boolean;
  uncertain?: string;
}

function readArgumentObject(value: unknown, source: Source): ArgumentsRead {
  if (value === null || value === undefined) return { value: {} };
  if (isRecord(value)) return { value };
  if (typeof value === 'string') return readArgumentText(value, source);
  if (Array.isArray(value)) return listed(value);
  return { value: JSON.stringify(value) ?? '' };
}

const listed = (values: unknown[]): ArgumentsRead =>
  values.length === 0 ? { value: {} } : { value: {}, positional: values, repaired: true };

function readArgumentText(text: string, source: Source): ArgumentsRead {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null' || trimmed === 'None') return { value: {} };
  let value = parseJson(trimmed);
  // Some servers encode the text twice.
  if (typeof value === 'string') value = parseJson(value);
  if (isRecord(value)) return { value };
  if (Array.isArray(value)) return listed(value);
  if (!trimmed.startsWith('{')) return { value: text };
  const read = readTolerantJson(trimmed, 0, { end: trimmed.length });
  if (read.ok && isRecord(read.value) && read.end === trimmed.length)
    return { value: read.value, repaired: true };
  const mended = mendJson(source, trimmed);
  const uncertain = `${read.ok ? 'there is text after its arguments' : read.reason}. ${jsonAdvice}`;
  return mended.ok && isRecord(mended.value)
    ? { value: mended.value, repaired: true, uncertain }
    : { value: text, uncertain };
}

/** Listed values that are more than the tool has arguments stay text, which dispatch refuses. */
function withNames(
  value: Record<string, unknown> | string,
  listedValues: unknown[] | undefined,
  positional: unknown[] | undefined,
  schema: Record<string, unknown> | undefined,
): Record<string, unknown> | string {
  if (typeof value === 'string') return value;
  const most = isRecord(schema?.properties) ? Object.keys(schema.properties).length : 0;
  if (listedValues && listedValues.length > most) return JSON.stringify(listedValues);
  return withPositional(value, listedValues ?? positional, schema);
}

function withPositional(
  args: Record<string, unknown>,
  positional: unknown[] | undefined,
  schema: Record<string, unknown> | undefined,
): Record<string, unknown> {
  if (!positional) return args;
  const names = new Set(Object.keys(isRecord(schema?.properties) ? schema.properties : {}));
  const [only, another] = positional;
  // `read_file({"file_path": "a"})`, as JavaScript has it.
  if (isRecord(only) && another === undefined && Object.keys(args).length === 0) {
    if (Object.keys(only).some((key) => canonicalName(key, names) !== undefined)) return only;
  }
  const free = [...names].filter((key) => !(key in args));
  const named = positional.slice(0, free.length).map((value, i) => [free[i] ?? '', value] as const);
  return { ...Object.fromEntries(named), ...args };
}
