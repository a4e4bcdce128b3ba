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
import {
  earlyCutOffReason,
  jsonAdvice,
  formatNotRun,
  type ParsedCall,
  type RawCall,
} from './parsed-answer.ts';

/** A call that can run, or the reason why it cannot, with advice for the model. */
export type FinishedCall = { ok: true; call: ParsedCall } | { ok: false; reason: string; raw: ParsedCall };

const MAX_ARGUMENT_LEVELS = 100;

export function finishCall(raw: RawCall, tools: KnownTools): FinishedCall {
  const isTooDeep = isDeeperThan(raw.arguments, MAX_ARGUMENT_LEVELS);
  const reading = readArgumentObject(isTooDeep ? '' : raw.arguments);
  const writtenName = tools.nameOf(raw.name);
  // A call of an editor tool is converted to the tool that the editor's command means.
  const editorCall =
    isRecord(reading.value) && !tools.isExact(writtenName)
      ? resolveEditorCall(writtenName, reading.value)
      : undefined;
  const [name, value] = editorCall?.ok ? [editorCall.name, editorCall.args] : [writtenName, reading.value];
  const id = raw.id === undefined ? {} : { id: raw.id };
  const refuse = (reason: string): FinishedCall => ({
    ok: false,
    reason: formatNotRun(name, reason),
    raw: { ...id, name, arguments: typeof raw.arguments === 'string' ? raw.arguments : '' },
  });
  if (editorCall?.ok === false) return refuse(editorCall.reason);
  if (isTooDeep) return refuse(`its arguments are nested deeper than ${MAX_ARGUMENT_LEVELS} levels`);
  const conditionalDoubt = isWholeCall(value, tools.parametersOf(name)) ? undefined : raw.doubtUnlessWhole;
  const doubt = raw.doubt ?? reading.doubt ?? conditionalDoubt;
  if (doubt !== undefined && tools.hasEffects(name)) return refuse(doubt);
  const schema = tools.schemaOf(name);
  const namedArgs = nameValues(value, reading.positional ?? raw.positional, schema);
  const isUnclosed = raw.doubtUnlessWhole !== undefined;
  const isMended = raw.repaired === true || reading.repaired === true || isUnclosed || doubt !== undefined;
  const typedArgs =
    typeof namedArgs === 'string' ? namedArgs : coerceArguments(namedArgs, addAliases(schema, namedArgs));
  const isRepaired = isMended || (!raw.isText && !isDeepStrictEqual(namedArgs, typedArgs));
  return { ok: true, call: { ...id, name, arguments: typedArgs, ...(isRepaired && { repaired: true }) } };
}

/** Returns whether the call has all required arguments of its tool and no unknown ones. */
function isWholeCall(value: Record<string, unknown> | string, { names, required }: ParameterNames): boolean {
  if (typeof value === 'string') return false;
  const canonicalNames = Object.keys(value).map((key) => findCanonicalName(key, names));
  return !canonicalNames.includes(undefined) && required.every((name) => canonicalNames.includes(name));
}

/** Returns whether a value is nested deeper than `maxLevels`. Iterative, because recursion on deep values would overflow the stack. */
function isDeeperThan(value: unknown, maxLevels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= maxLevels; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}

interface ArgumentsReading {
  value: Record<string, unknown> | string;
  /** Values without names, in the order of the tool's own arguments. */
  positional?: unknown[];
  repaired?: boolean;
  doubt?: string;
}

function readArgumentObject(value: unknown): ArgumentsReading {
  if (value === null || value === undefined) return { value: {} };
  if (isRecord(value)) return { value };
  if (Array.isArray(value))
    return value.length === 0 ? { value: {} } : { value: {}, positional: value, repaired: true };
  return typeof value === 'string' ? readArgumentText(value) : { value: JSON.stringify(value) ?? '' };
}

/** Parses JSON text. If the result is a text, parses it once more, because some servers encode the text twice. */
function readArgumentText(text: string, isInner = false): ArgumentsReading {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null' || trimmed === 'None') return { value: {} };
  if (!/^[{["]/.test(trimmed)) return { value: text };
  const reading = readWholeLiteral(trimmed);
  if (reading.ok && typeof reading.value === 'string')
    return isInner ? { value: text } : readArgumentText(reading.value, true);
  if (reading.ok && isCutOffEmpty(reading.value, trimmed))
    return { value: text, doubt: `${earlyCutOffReason}. ${jsonAdvice}` };
  if (reading.ok)
    return { ...readArgumentObject(reading.value), ...(!reading.isExact && { repaired: true }) };
  return { value: text, doubt: `${reading.reason}. ${jsonAdvice}` };
}

/** Returns whether truncated arguments were parsed as an empty object. */
export const isCutOffEmpty = (value: unknown, text: string): boolean =>
  isRecord(value) && Object.keys(value).length === 0 && /[^}\])>`]$/u.test(text);

/** Assigns names to positional values. If there are more values than arguments of the tool, returns text, which dispatch refuses. */
function nameValues(
  value: Record<string, unknown> | string,
  positional: unknown[] | undefined,
  schema: Record<string, unknown> | undefined,
): Record<string, unknown> | string {
  if (typeof value === 'string' || !positional) return value;
  const names = new Set(Object.keys(isRecord(schema?.properties) ? schema.properties : {}));
  const [only, another] = positional;
  // A single object contains the named arguments, as in JavaScript: `read_file({"file_path": "a"})`.
  if (isRecord(only) && another === undefined && Object.keys(value).length === 0) {
    if (Object.keys(only).some((key) => findCanonicalName(key, names) !== undefined)) return only;
  }
  const freeNames = [...names].filter((key) => !(key in value));
  if (positional.length > freeNames.length && Object.keys(value).length === 0)
    return JSON.stringify(positional);
  const namedArgs = positional.map(
    (item, index) => [freeNames[index] ?? `value ${index + 1}`, item] as const,
  );
  return { ...Object.fromEntries(namedArgs), ...value };
}
