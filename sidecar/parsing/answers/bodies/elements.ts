/**
 * Reads calls written as elements. The name is in the tag (`<function=NAME>`, `<invoke name="NAME">`), in the
 * first child, as in prompts of editors (`<tool_use><name>NAME</name>…`), or is the tag itself
 * (`<NAME>…</NAME>`). The content is values or JSON.
 */
import { isRecord } from '../../../base/values/json.ts';
import { findCanonicalName, type KnownTools } from '../../../tools/known-tools.ts';
import { earlyCutOffReason, MAX_CALLS, formatNotRun, type RawCall } from '../result.ts';
import { matchAt, findNameEnd, type AnswerText } from '../source.ts';
import {
  isBracket,
  readNamed,
  type BodyReader,
  type ParseContext,
  type Dialect,
  type BodyReading,
} from './body.ts';
import {
  createElementSpelling,
  createPairSpelling,
  createParameterSpelling,
  readTag,
  readValues,
  buildTextCall,
  type Spelling,
} from './values.ts';

/**
 * Grammar of the element of the call `name`: its closing mark, the spelling of its values, and the marks that
 * may follow a value.
 */
interface ElementGrammar {
  name: string;
  close: string;
  spelling: Spelling;
  follow: readonly string[];
}

/** Reads the content of an element, up to and including its closing mark. */
function readContent(
  source: AnswerText,
  at: number,
  { name, close, spelling, follow }: ElementGrammar,
  dialect: Dialect,
): BodyReading & { isClosed: boolean } {
  const start = source.skipSpace(at);
  const marks = [close, ...dialect.close];
  const skipClosingMark = (reading: BodyReading) => {
    const end = source.skipSpace(reading.end);
    const isClosed = source.text.startsWith(close, end);
    return { ...reading, isClosed, end: isClosed ? end + close.length : reading.end };
  };
  if (isBracket(source.text[start]))
    return skipClosingMark(readNamed(source, name, start, { ...dialect, close: marks }));
  return skipClosingMark(buildTextCall(name, readValues(source, start, spelling, [...marks, ...follow])));
}

/**
 * Returns a reader of consecutive `function` or `invoke` elements. `prefix` is part of the tags' names. The
 * mark `before` precedes each tag; values are then elements named like their parameters.
 */
export function createElementsBody(
  family: string,
  word: 'function' | 'invoke',
  { prefix = '', before = '' } = {},
): BodyReader {
  const open = `${before}<${prefix}${word}`;
  const element = {
    close: `${before}</${prefix}${word}>`,
    spelling:
      before === ''
        ? createParameterSpelling(prefix, word === 'function' ? 'each' : 'pair')
        : createElementSpelling(before),
    follow: [`${open}=`, `${open} `, ...(before === '' ? [] : [`${before}<`])],
  };
  return ({ source, tools }, at, dialect) => {
    const calls: RawCall[] = [];
    let position = source.skipSpace(at);
    while (calls.length <= MAX_CALLS && source.text.startsWith(open, position)) {
      const tag = readTag(source, position, open);
      // Marks or code in place of a name show that the text is about calls.
      if (!tag || /[`"'()\s]/.test(tag.name)) break;
      const content = readContent(source, tag.end, { ...element, name: tag.name }, dialect);
      const end = source.skipSpace(content.end);
      if (content.problem !== undefined) return { calls, end, problem: content.problem };
      const isAtEnd = end >= source.text.length || source.findMarkAt(dialect.close, end) !== undefined;
      const isOpen = !content.isClosed && content.calls.every(isEmpty);
      // The last tag is incomplete.
      const isHalfTag = !isAtEnd && /^<[^<>]{0,200}$/u.test(source.text.slice(end, end + 202));
      if (isOpen && !isAtEnd && !isHalfTag) break;
      if (isOpen && (isHalfTag || end >= source.text.length) && tools.parametersOf(tag.name).names.size > 0)
        return { calls, end, problem: formatNotRun(tag.name, earlyCutOffReason) };
      calls.push(...content.calls);
      position = end;
    }
    return calls.length === 0 ? undefined : { calls, end: position, family };
  };
}

const isEmpty = ({ isText, arguments: args }: RawCall): boolean =>
  isText === true && isRecord(args) && Object.keys(args).length === 0;

const separator = '<tool_sep>';

/** Returns a reader of a name and alternating keys and values (GLM and relatives). `prefix` is part of the tags' names. */
export function createPairsBody(family: string, prefix = ''): BodyReader {
  const spelling = createPairSpelling(prefix);
  return ({ source }, at, dialect) => {
    const start = source.skipSpace(at);
    const nameStop = findNameEnd(source.text, start);
    if (nameStop === start) return undefined;
    const next = source.skipSpace(nameStop);
    const isSeparated = source.text.startsWith(separator, next);
    const body = isSeparated ? source.skipSpace(next + separator.length) : next;
    const values = readValues(source, body, spelling, dialect.close);
    const isClosed = source.findMarkAt(dialect.close, values.end) !== undefined;
    const isAtEnd = isSeparated && values.end >= source.text.length;
    if (values.entries.length === 0 && values.problem === undefined && !isClosed && !isAtEnd)
      return undefined;
    const reading = buildTextCall(source.text.slice(start, nameStop), values);
    return { ...reading, family: isSeparated ? 'hunyuan' : family };
  };
}

const nameTag = /<(name|tool_name|tool|function_name)>\s*([^\s<>]{1,128})\s*<\/\1>\s*/y;
const containerTag = /<(arguments|parameters|input|args|params|tool_input)>\s*/y;

/** Reads `<name>NAME</name>` and the values after it, with or without a container element. */
export const readToolUseBody: BodyReader = ({ source }, at, dialect) => {
  const start = source.skipSpace(at);
  const nameMatch = matchAt(nameTag, source.text, start);
  const name = nameMatch?.[2];
  if (!nameMatch || name === undefined) return undefined;
  const body = start + nameMatch[0].length;
  const container = matchAt(containerTag, source.text, body);
  const close = container ? `</${container[1]}>` : (dialect.close[0] ?? '');
  const element = { name, close, spelling: createElementSpelling(), follow: ['<'] };
  const content = readContent(source, body + (container?.[0].length ?? 0), element, dialect);
  const isWhole = content.isClosed || source.skipSpace(content.end) >= source.text.length;
  if (content.problem === undefined && isWhole && !content.isClosed && content.calls.every(isEmpty))
    return { calls: [], end: content.end, problem: formatNotRun(name, earlyCutOffReason) };
  if (content.problem !== undefined || isWhole) return content;
  return { calls: [], end: body, problem: `the arguments of ${name} cannot be read` };
};

const maxNameChars = 40;
const maxTagChars = 500;
const attribute = /\s+([\w-]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const tagEnd = /(?:\s+[\w-]{1,40}\s*=\s*(?:"[^"]*"|'[^']*'))*\s*(\/?)>/y;

/**
 * Reads the element at `at` if its tag is the name of a tool. Returns undefined for other text. Without marks
 * around it, the element is a call only if its content fits the tool's parameters.
 */
export function readNamedElement({ source, tools }: ParseContext, at: number): BodyReading | undefined {
  const name = findToolNameAt(source, tools, at);
  if (name === undefined) return undefined;
  const start = at + 1 + name.length;
  const tag = matchAt(tagEnd, source.text.slice(start, start + maxTagChars), 0);
  if (!tag) return undefined;
  const body = source.skipSpace(start + tag[0].length);
  const close = `</${name}>`;
  const isEmptyTag = tag[1] === '/';
  const closing = isEmptyTag ? body : source.find(close, body);
  const { names } = tools.parametersOf(name);
  const isOwn = (key: string) => findCanonicalName(key, names) !== undefined;
  const element = { name, close, spelling: createElementSpelling(), follow: ['<'] };
  const dialect: Dialect = { family: '', open: close, close: [close], bodies: [] };
  const content = closing === -1 || isEmptyTag ? undefined : readContent(source, body, element, dialect);
  const [call] = isEmptyTag ? [{ name, arguments: {} }] : content?.isClosed ? content.calls : [];
  const attributes = [...tag[0].matchAll(attribute)].map(([, key = '', a, b]) => [key, a ?? b ?? '']);
  const args = { ...Object.fromEntries(attributes), ...(isRecord(call?.arguments) && call.arguments) };
  if (call && Object.keys(args).some(isOwn))
    return { calls: [{ ...call, arguments: args }], end: content?.end ?? body };
  source.countFailure();
  const first = createElementSpelling()(source, body);
  if (!first || !isOwn(first.key)) return undefined;
  return closing === -1
    ? { calls: [], end: body, problem: `the call of ${name} is cut off` }
    : { calls: [], end: closing + close.length, problem: `the call of ${name} cannot be read` };
}

/**
 * Returns the tool's name in the tag at `at`. Short names are excluded, because they are common words in
 * prose and HTML.
 */
function findToolNameAt({ text }: AnswerText, tools: KnownTools, at: number): string | undefined {
  const end = findNameEnd(text, at + 1);
  const length = end - at - 1;
  if (length < 4 || length > maxNameChars || !/[\s/>]/.test(text[end] ?? '')) return undefined;
  const name = text.slice(at + 1, end);
  if (!name.includes('_') && name !== 'bash' && !tools.isExact(name)) return undefined;
  return text[at - 1] !== '`' && tools.isTool(name) ? name : undefined;
}
