/**
 * Recognises the JSON shapes of calls: `{"name", "arguments"|"parameters"}` and the variants that models
 * write. Between marks, every object with a name counts. Elsewhere, only the standard shape counts, or a
 * variant that names a known tool.
 */
import { isRecord } from '../../base/values/json.ts';
import { findCanonicalName, type KnownTools } from '../../tools/known-tools.ts';
import type { RawCall } from './parsed-answer.ts';

const nameKeys = ['name', 'tool_name', 'function_name', 'tool', 'function', 'action'];
const argumentKeys = 'arguments parameters args params input tool_input action_input kwargs'.split(' ');
const idKeys = ['id', 'tool_call_id', 'call_id'];
const otherKeys = ['type', 'index'];
const wrapperKeys = ['tool_calls', 'tool_call', 'function_call', 'action', 'calls', 'actions', 'tools'];
const answerKeys = ['role', 'thought', 'response', 'request_approval'];
/** Keys that objects of calls and answers have. An object with none of them is skipped. */
export const callKeys: ReadonlySet<string> = new Set(
  [nameKeys, argumentKeys, idKeys, otherKeys, wrapperKeys, answerKeys].flat(),
);

/** Returns the calls in a value between marks: an object, a list, `{"tool_calls": […]}`, or `{"NAME": {…}}`. */
export function readMarkedCalls(value: unknown, tools: KnownTools): RawCall[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => readMarkedCalls(item, tools));
  if (!isRecord(value)) return [];
  if (Array.isArray(value.tool_calls)) return readMarkedCalls(value.tool_calls, tools);
  const call = readCallObject(value, tools);
  if (call) return isDefinition(call) ? [] : [call];
  const [only, another] = Object.entries(value);
  const isNamed = only && !another && only[0].trim() !== '' && !callKeys.has(only[0]);
  return isNamed && (isRecord(only[1]) || only[1] === null) ? [{ name: only[0], arguments: only[1] }] : [];
}

/** Returns the calls in a value that is not between marks. */
export function readBareCalls(value: unknown, tools: KnownTools): RawCall[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => readBareCalls(item, tools));
  if (!isRecord(value)) return [];
  if (Array.isArray(value.tool_calls)) return readMarkedCalls(value.tool_calls, tools);
  const call = readBareCall(value, tools) ?? readCallByKey(value, tools);
  if (call) return [call];
  return wrapperKeys.flatMap((key) =>
    readBareCalls(value[key], tools).filter(({ name }) => tools.isTool(name)),
  );
}

function readBareCall(value: Record<string, unknown>, tools: KnownTools): RawCall | undefined {
  const inner = isRecord(value.function) ? value.function : value;
  const call = readCallObject(value, tools);
  if (!call || isDefinition(call) || !isModelMessage(value)) return undefined;
  if (typeof inner.name === 'string' && ('arguments' in inner || 'parameters' in inner)) return call;
  if (!tools.isTool(call.name)) return undefined;
  return argumentKeys.some((key) => key in inner) || areFlatKeysKnown(inner, call.name, tools)
    ? call
    : undefined;
}

const isModelMessage = ({ role }: Record<string, unknown>): boolean =>
  role === undefined || role === 'assistant';

/** Reads a call in the form `{"NAME": {…}}`. It must name a known tool, with all required arguments and no unknown ones. */
function readCallByKey(value: Record<string, unknown>, tools: KnownTools): RawCall | undefined {
  const [only, another] = Object.entries(value);
  if (!only || another || !isToolKey(only[0], tools) || !isRecord(only[1])) return undefined;
  const [name, args] = only;
  const { names, required } = tools.parametersOf(name);
  const canonicalKeys = Object.keys(args).map((key) => findCanonicalName(key, names));
  const hasOnlyOwnKeys = canonicalKeys.length > 0 && canonicalKeys.every((key) => key !== undefined);
  return hasOnlyOwnKeys && required.every((key) => canonicalKeys.includes(key))
    ? { name, arguments: args }
    : undefined;
}

/** Returns whether a key is certainly the name of a tool: a name exactly as known, or a known name with an underscore. */
export function isToolKey(key: string, tools: KnownTools): boolean {
  return (key.includes('_') || tools.isExact(key)) && tools.isTool(key);
}

function readCallObject(value: Record<string, unknown>, tools: KnownTools): RawCall | undefined {
  if (isRecord(value.function)) {
    const inner = readCallObject(value.function, tools);
    return inner && { ...inner, ...idOf(value) };
  }
  const nameKey = nameKeys.find((key) => isName(value[key]));
  if (!nameKey) return undefined;
  const name = String(value[nameKey]).trim();
  const argumentKey = argumentKeys.find((key) => key !== nameKey && key in value);
  if (argumentKey) return { name, arguments: value[argumentKey], ...idOf(value) };
  const flatEntries = Object.entries(value).filter(([key]) => key !== nameKey && !isCallKey(key));
  return {
    name,
    arguments: flatEntries.length > 0 && tools.isTool(name) ? Object.fromEntries(flatEntries) : {},
    ...idOf(value),
  };
}

/** Returns whether a value can be a tool's name. Braces, quotes and line breaks show that it is part of a broken object. */
const isName = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && !/[{}"“”\n]/.test(value.trim());

const isCallKey = (key: string): boolean => idKeys.includes(key) || otherKeys.includes(key);

/** Returns whether all keys besides the name are parameters of the tool, as in a call without an object of `arguments`. */
function areFlatKeysKnown(value: Record<string, unknown>, name: string, tools: KnownTools): boolean {
  const { names } = tools.parametersOf(name);
  return Object.keys(value).every(
    (key) => value[key] === name || isCallKey(key) || findCanonicalName(key, names) !== undefined,
  );
}

/**
 * Returns whether the model repeated the description of a tool, `{"name", "parameters": {"type": "object",
 * "properties"}}`.
 */
function isDefinition({ arguments: args }: RawCall): boolean {
  return isRecord(args) && args.type === 'object' && isRecord(args.properties);
}

function idOf(value: Record<string, unknown>): { id?: string } {
  const key = idKeys.find((candidate) => typeof value[candidate] === 'string' && value[candidate] !== '');
  return key ? { id: String(value[key]) } : {};
}
