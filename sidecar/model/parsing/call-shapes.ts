/**
 * The shapes of JSON that mean a call: `{"name", "arguments"|"parameters"}` and what models write instead.
 * Inside a tag, where a call is certain, everything that has a name counts; in prose only the plain shape does,
 * or another one that names a known tool.
 */
import { isRecord } from '../../values/json.ts';
import { canonicalName, type KnownTools } from './known-tools.ts';
import type { RawCall } from './result.ts';

const nameKeys = ['name', 'tool_name', 'function_name', 'tool', 'function', 'action'];
const argumentKeys = [
  'arguments',
  'parameters',
  'args',
  'params',
  'input',
  'tool_input',
  'action_input',
  'kwargs',
];
const idKeys = ['id', 'tool_call_id', 'call_id'];
const otherKeys = ['type', 'index'];
/** A broken object whose first key is one of these is worth a repair. */
export const callKeys: ReadonlySet<string> = new Set([
  ...nameKeys,
  ...argumentKeys,
  ...idKeys,
  ...otherKeys,
  'tool_calls',
  'response',
  'request_approval',
]);

/** Calls in a value that stands inside a tag: an object, a list, `{"tool_calls": […]}`, or `{"NAME": {…}}`. */
export function taggedCalls(value: unknown, tools: KnownTools): RawCall[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => taggedCalls(item, tools));
  if (!isRecord(value)) return [];
  if (Array.isArray(value.tool_calls)) return taggedCalls(value.tool_calls, tools);
  const call = callFromObject(value, tools);
  if (call) return isDefinition(call) ? [] : [call];
  const [only, ...rest] = Object.entries(value);
  if (only && rest.length === 0 && mayBeName(only[0]) && (isRecord(only[1]) || only[1] === null))
    return [{ name: only[0], arguments: only[1] }];
  return [];
}

/** The call in an object found in prose, by the stricter rule. */
export function proseCall(value: Record<string, unknown>, tools: KnownTools): RawCall | undefined {
  const inner = isRecord(value.function) ? value.function : value;
  const call = callFromObject(value, tools);
  if (!call || isDefinition(call) || isRecordOfCall(value)) return undefined;
  const plain = typeof inner.name === 'string' && ('arguments' in inner || 'parameters' in inner);
  if (plain) return call;
  if (!tools.knows(call.name)) return undefined;
  const hasArguments = argumentKeys.some((key) => key in inner);
  if (hasArguments) return call;
  return flatKeysFit(inner, call.name, tools) ? call : undefined;
}

/** `{"NAME": {…}}` in prose: one known tool with arguments of its own, and with all that it needs. */
export function callByKey(value: Record<string, unknown>, tools: KnownTools): RawCall | undefined {
  const [only, another] = Object.entries(value);
  if (!only || another || !isToolKey(only[0], tools) || !isRecord(only[1])) return undefined;
  const [name, args] = only;
  const { properties, required } = tools.schemaOf(name) ?? {};
  const known = new Set(isRecord(properties) ? Object.keys(properties) : []);
  const given = Object.keys(args).map((key) => canonicalName(key, known));
  const needed: unknown[] = Array.isArray(required) ? required : [];
  const fits = given.length > 0 && given.every((key) => key !== undefined);
  return fits && needed.every((key) => given.includes(String(key))) ? { name, arguments: args } : undefined;
}

/** Whether a key is a tool's name beyond doubt: its own one, or one that is no plain word. */
export function isToolKey(key: string, tools: KnownTools): boolean {
  return (key.includes('_') || tools.isExact(key)) && tools.knows(key);
}

/** What logs and transcripts write beside a call that was made. */
const recordKeys = new Set(
  (
    'level lvl severity ts time timestamp date datetime msg message event logger pid hostname duration duration_ms ' +
    'elapsed elapsed_ms result results output status exit_code exitcode success error trace trace_id span_id'
  ).split(' '),
);

function isRecordOfCall(value: Record<string, unknown>): boolean {
  const isOthers = value.role !== undefined && value.role !== 'assistant';
  return isOthers || Object.keys(value).some((key) => recordKeys.has(key.toLowerCase()));
}

function callFromObject(value: Record<string, unknown>, tools: KnownTools): RawCall | undefined {
  if (isRecord(value.function)) {
    const inner = callFromObject(value.function, tools);
    return inner && { ...inner, ...idOf(value) };
  }
  const nameKey = nameKeys.find((key) => typeof value[key] === 'string' && value[key].trim() !== '');
  if (!nameKey) return undefined;
  const name = String(value[nameKey]).trim();
  const argumentKey = argumentKeys.find((key) => key !== nameKey && key in value);
  if (argumentKey) return { name, arguments: value[argumentKey], ...idOf(value) };
  const flat = Object.entries(value).filter(([key]) => key !== nameKey && !isCallKey(key));
  return {
    name,
    arguments: flat.length > 0 && tools.knows(name) ? Object.fromEntries(flat) : {},
    ...idOf(value),
  };
}

/** Whether a lone key can be a tool's name (`{"NAME": {…}}`). */
function mayBeName(key: string): boolean {
  return key.trim() !== '' && !callKeys.has(key);
}

function isCallKey(key: string): boolean {
  return idKeys.includes(key) || otherKeys.includes(key);
}

/** Parameters beside the name instead of under `arguments`: only where all of them are the tool's own. */
function flatKeysFit(value: Record<string, unknown>, name: string, tools: KnownTools): boolean {
  const { properties } = tools.schemaOf(name) ?? {};
  const known = new Set(isRecord(properties) ? Object.keys(properties) : []);
  return Object.keys(value).every(
    (key) => value[key] === name || isCallKey(key) || canonicalName(key, known) !== undefined,
  );
}

/** A tool's description repeated by the model, `{"name", "parameters": {"type": "object", "properties"}}`. */
function isDefinition(call: RawCall): boolean {
  const args = call.arguments;
  return isRecord(args) && args.type === 'object' && isRecord(args.properties);
}

function idOf(value: Record<string, unknown>): { id?: string } {
  const key = idKeys.find((candidate) => typeof value[candidate] === 'string' && value[candidate] !== '');
  return key ? { id: String(value[key]) } : {};
}
