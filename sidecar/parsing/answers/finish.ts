/**
 * Completes a call that was read: resolves the tool's name, parses the arguments to an object (or raw text,
 * which dispatch refuses), names positional values, and converts types by the schema. A call with effects is
 * sent back to the model if its arguments are in doubt.
 */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../base/values/json.ts';
import { readWholeLiteral } from '../../base/values/literal.ts';
import { resolveEditorCall } from '../../tools/aliases.ts';
import { coerceArguments } from '../../tools/coercion.ts';
import {
  findCanonicalName,
  addAliases,
  type KnownTools,
  type ParameterNames,
} from '../../tools/known-tools.ts';
import { earlyCutOffReason, jsonAdvice, notRunMessage, type ParsedCall, type RawCall } from './result.ts';

/** Call that can run, or the reason why it cannot, with advice for the model. */
export type FinishedCall = { ok: true; call: ParsedCall } | { ok: false; reason: string; raw: ParsedCall };

const maxArgumentLevels = 100;

export function finishCall(raw: RawCall, tools: KnownTools): FinishedCall {
  const isTooDeep = isDeeperThan(raw.arguments, maxArgumentLevels);
  const read = readArgumentObject(isTooDeep ? '' : raw.arguments);
  const written = tools.nameOf(raw.name);
  // An editor tool with commands maps to the tool of its command.
  const editor =
    isRecord(read.value) && !tools.isExact(written) ? resolveEditorCall(written, read.value) : undefined;
  const [name, value] = editor?.ok ? [editor.name, editor.args] : [written, read.value];
  const id = raw.id === undefined ? {} : { id: raw.id };
  const refuse = (reason: string): FinishedCall => ({
    ok: false,
    reason: notRunMessage(name, reason),
    raw: { ...id, name, arguments: typeof raw.arguments === 'string' ? raw.arguments : '' },
  });
  if (editor?.ok === false) return refuse(editor.reason);
  if (isTooDeep) return refuse(`its arguments are nested deeper than ${maxArgumentLevels} levels`);
  const unlessWhole = isWholeCall(value, tools.parametersOf(name)) ? undefined : raw.doubtUnlessWhole;
  const doubt = raw.doubt ?? read.doubt ?? unlessWhole;
  if (doubt !== undefined && tools.hasEffects(name)) return refuse(doubt);
  const schema = tools.schemaOf(name);
  const named = nameValues(value, read.positional ?? raw.positional, schema);
  const isUnclosed = raw.doubtUnlessWhole !== undefined;
  const isMended = raw.repaired === true || read.repaired === true || isUnclosed || doubt !== undefined;
  const typed = typeof named === 'string' ? named : coerceArguments(named, addAliases(schema, named));
  const isRepaired = isMended || (!raw.isText && !isDeepStrictEqual(named, typed));
  return { ok: true, call: { ...id, name, arguments: typed, ...(isRepaired && { repaired: true }) } };
}

/** Whether the call has all required arguments of its tool and no unknown ones. */
function isWholeCall(value: Record<string, unknown> | string, { own, required }: ParameterNames): boolean {
  if (typeof value === 'string') return false;
  const names = Object.keys(value).map((key) => findCanonicalName(key, own));
  return !names.includes(undefined) && required.every((name) => names.includes(name));
}

/** Measures depth iteratively: recursion on deep values would overflow the stack. */
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
  doubt?: string;
}

function readArgumentObject(value: unknown): ArgumentsRead {
  if (value === null || value === undefined) return { value: {} };
  if (isRecord(value)) return { value };
  if (Array.isArray(value))
    return value.length === 0 ? { value: {} } : { value: {}, positional: value, repaired: true };
  return typeof value === 'string' ? readArgumentText(value) : { value: JSON.stringify(value) ?? '' };
}

/**
 * Parses JSON text. Text inside a JSON string is parsed once more, because some servers encode the text
 * twice.
 */
function readArgumentText(text: string, isInner = false): ArgumentsRead {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null' || trimmed === 'None') return { value: {} };
  if (!/^[{["]/.test(trimmed)) return { value: text };
  const read = readWholeLiteral(trimmed);
  if (read.ok && typeof read.value === 'string')
    return isInner ? { value: text } : readArgumentText(read.value, true);
  if (read.ok && isCutOffEmpty(read.value, trimmed))
    return { value: text, doubt: `${earlyCutOffReason}. ${jsonAdvice}` };
  if (read.ok) return { ...readArgumentObject(read.value), ...(!read.isExact && { repaired: true }) };
  return { value: text, doubt: `${read.reason}. ${jsonAdvice}` };
}

/** Whether truncated arguments were parsed as an empty object. */
export const isCutOffEmpty = (value: unknown, text: string): boolean =>
  isRecord(value) && Object.keys(value).length === 0 && /[^}\])>`]$/u.test(text);

/**
 * Names positional values. If there are more values than arguments of the tool, returns text, which dispatch
 * refuses.
 */
function nameValues(
  value: Record<string, unknown> | string,
  positional: unknown[] | undefined,
  schema: Record<string, unknown> | undefined,
): Record<string, unknown> | string {
  if (typeof value === 'string' || !positional) return value;
  const names = new Set(Object.keys(isRecord(schema?.properties) ? schema.properties : {}));
  const [only, another] = positional;
  // A single object holds the named arguments, as in JavaScript: `read_file({"file_path": "a"})`.
  if (isRecord(only) && another === undefined && Object.keys(value).length === 0) {
    if (Object.keys(only).some((key) => findCanonicalName(key, names) !== undefined)) return only;
  }
  const free = [...names].filter((key) => !(key in value));
  if (positional.length > free.length && Object.keys(value).length === 0) return JSON.stringify(positional);
  const named = positional.map((item, i) => [free[i] ?? `value ${i + 1}`, item] as const);
  return { ...Object.fromEntries(named), ...value };
}
