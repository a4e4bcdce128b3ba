/**
 * Calls written as an element that is named like the tool, as the prompts of some editors teach it:
 * `<write_file><path>a.ts</path><content>…</content></write_file>`. Attributes, JSON inside and, for a tool's one
 * required argument, a lone text are read too. Only what fits the tool's parameters is a call.
 */
import { isRecord } from '../../../values/json.ts';
import { canonicalName, type KnownTools } from '../known-tools.ts';
import type { Source } from '../source.ts';
import { readChildren, unwrapLines, whyUncertain, type Entries } from './element.ts';
import { nameEnd, type Format, type Reading } from './format.ts';
import { readArguments, tracesOf } from './json-body.ts';
import type { RawCall } from '../result.ts';

const family = 'named-element';
const maxNameChars = 40;
const maxTagChars = 500;
const attributes = /\s+([\w-]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const tagEnd = /^(?:\s+[\w-]{1,40}\s*=\s*(?:"[^"]*"|'[^']*'))*\s*(\/?)>/;

/** The call in the element that opens at the less-than sign `at`; undefined when it is something else. */
export function readNamedElement(source: Source, tools: KnownTools, at: number): Reading | undefined {
  const name = toolNameAt(source, tools, at);
  if (name === undefined) return undefined;
  const start = at + 1 + name.length;
  const tag = tagEnd.exec(source.text.slice(start, start + maxTagChars));
  if (!tag || !source.spend(maxTagChars)) return undefined;
  const named = [...tag[0].matchAll(attributes)].map(([, key = '', a, b]) => [key, a ?? b ?? ''] as const);
  const parameters = parametersOf(name, tools);
  const body = start + tag[0].length;
  const inside: Inside | undefined =
    tag[1] === '/'
      ? { entries: [], end: body }
      : readInside(source, body, { name, tools, named, parameters });
  if (!inside) return undefined;
  const entries = [...named, ...inside.entries];
  if (!entries.some(([key]) => canonicalName(key, parameters.all) !== undefined)) return undefined;
  const call: RawCall = {
    name,
    arguments: Object.fromEntries(entries),
    ...tracesOf(inside),
    ...(inside.isText && { isText: true }),
  };
  return { calls: [call], end: inside.end, family };
}

/** Whether an element begins at `at` that is named like a tool and is not closed at once. */
export const isToolElement = (source: Source, tools: KnownTools, at: number): boolean =>
  toolNameAt(source, tools, at) !== undefined;

/** Short names are words of prose and of HTML as well. */
function toolNameAt({ text }: Source, tools: KnownTools, at: number): string | undefined {
  const end = nameEnd(text, at + 1);
  const length = end - at - 1;
  if (length < 4 || length > maxNameChars || !/[\s/>]/.test(text[end] ?? '')) return undefined;
  const name = text.slice(at + 1, end);
  if (!name.includes('_') && name !== 'bash' && !tools.isExact(name)) return undefined;
  return text[at - 1] !== '`' && tools.knows(name) ? name : undefined;
}

interface Parameters {
  all: ReadonlySet<string>;
  required: readonly string[];
}

function parametersOf(name: string, tools: KnownTools): Parameters {
  const { properties, required } = tools.schemaOf(name) ?? {};
  return {
    all: new Set(isRecord(properties) ? Object.keys(properties) : []),
    required: Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [],
  };
}

interface Inside {
  entries: Entries;
  end: number;
  isText?: true;
  repaired?: boolean;
  uncertain?: string;
}
interface Element {
  name: string;
  tools: KnownTools;
  named: Entries;
  parameters: Parameters;
}

function readInside(source: Source, body: number, element: Element): Inside | undefined {
  const close = `</${element.name}>`;
  const closing = source.find(close, body);
  if (closing === -1) {
    source.countFailure();
    return undefined;
  }
  const first = source.skipSpace(body);
  if (source.text[first] === '{') return readJsonInside(source, first, close);
  const children = readChildren(source, first, close);
  if (children.entries.length > 0) {
    const end = source.skipSpace(children.end);
    if (!source.text.startsWith(close, end)) return undefined;
    const uncertain = whyUncertain(children.entries, children.guessed);
    return { entries: children.entries, end: end + close.length, isText: true, ...tracesOf({ uncertain }) };
  }
  const lone = loneParameter(element);
  const text = unwrapLines(source.text.slice(body, closing), 'each');
  if (lone === undefined || text.trim() === '') return undefined;
  const value = lone === 'content' ? text : text.trim();
  return { entries: [[lone, value]], end: closing + close.length, isText: true };
}

function readJsonInside(source: Source, at: number, close: string): Inside | undefined {
  const format: Format = { family, open: close, close: [close], readers: [] };
  const { arguments: args, end, problem, ...traces } = readArguments(source, at, format);
  const next = source.skipSpace(end);
  if (problem !== undefined || !isRecord(args) || !source.text.startsWith(close, next)) return undefined;
  return { entries: Object.entries(args), end: next + close.length, ...tracesOf(traces) };
}

/** The one required parameter that no attribute gives. */
function loneParameter({ named, parameters }: Element): string | undefined {
  const given = new Set(named.map(([key]) => canonicalName(key, parameters.all)));
  const [only, another] = parameters.required.filter((key) => !given.has(key));
  return another === undefined ? only : undefined;
}
