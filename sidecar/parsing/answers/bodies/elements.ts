/**
 * Reads calls written as elements. The tool's name is in the tag (`<function=NAME>`, `<invoke name="NAME">`), in the first child element,
 * as in prompts of editors (`<tool_use><name>NAME</name>…`), or is itself the tag (`<NAME>…</NAME>`). The content consists of values or is
 * JSON.
 */
import { isRecord } from '../../../base/values/json.ts';
import { findCanonicalName, type KnownTools } from '../../../tools/known-tools.ts';
import { earlyCutOffReason, MAX_CALLS, formatNotRun, type RawCall } from '../parsed-answer.ts';
import { matchAt, findNameEnd, type AnswerText } from '../answer-text.ts';
import {
  isBracket,
  readCallArguments,
  type BodyReader,
  type ParseContext,
  type Dialect,
  type BodyReading,
} from './body-reader.ts';
import {
  createElementReader,
  createPairReader,
  createParameterReader,
  readTag,
  readTaggedValues,
  buildTextCall,
  type OpenValueReader,
} from './tagged-values.ts';

/** Grammar of an element that calls the tool `name`: its closing mark, the reader of its values, and the marks that may follow a value. */
interface ElementGrammar {
  name: string;
  closeMark: string;
  readOpenValue: OpenValueReader;
  followMarks: readonly string[];
}

/** Reads the content of an element, up to and including its closing mark. */
function readElementContent(
  source: AnswerText,
  offset: number,
  { name, closeMark, readOpenValue, followMarks }: ElementGrammar,
  dialect: Dialect,
): BodyReading & { isClosed: boolean } {
  const start = source.skipSpace(offset);
  const marks = [closeMark, ...dialect.closeMarks];
  const skipClosingMark = (reading: BodyReading) => {
    const end = source.skipSpace(reading.end);
    const isClosed = source.text.startsWith(closeMark, end);
    return { ...reading, isClosed, end: isClosed ? end + closeMark.length : reading.end };
  };
  if (isBracket(source.text[start]))
    return skipClosingMark(readCallArguments(source, name, start, { ...dialect, closeMarks: marks }));
  return skipClosingMark(
    buildTextCall(name, readTaggedValues(source, start, readOpenValue, [...marks, ...followMarks])),
  );
}

/**
 * Returns a reader of consecutive `function` or `invoke` elements. `prefix`: part before the name in each tag. `tagMark`: mark in front of
 * each tag; with it, values are elements named like their parameters.
 */
export function createElementsBody(
  family: string,
  tagName: 'function' | 'invoke',
  { prefix = '', tagMark = '' } = {},
): BodyReader {
  const openTag = `${tagMark}<${prefix}${tagName}`;
  const element = {
    closeMark: `${tagMark}</${prefix}${tagName}>`,
    readOpenValue:
      tagMark === ''
        ? createParameterReader(prefix, tagName === 'function' ? 'each' : 'pair')
        : createElementReader(tagMark),
    followMarks: [`${openTag}=`, `${openTag} `, ...(tagMark === '' ? [] : [`${tagMark}<`])],
  };
  return ({ source, tools }, offset, dialect) => {
    const calls: RawCall[] = [];
    let position = source.skipSpace(offset);
    while (calls.length <= MAX_CALLS && source.text.startsWith(openTag, position)) {
      const tag = readTag(source, position, openTag);
      // Marks or code in place of a name show that the text is about calls and is no call.
      if (!tag || /[`"'()\s]/.test(tag.name)) break;
      const content = readElementContent(source, tag.end, { ...element, name: tag.name }, dialect);
      const end = source.skipSpace(content.end);
      if (content.problem !== undefined) return { calls, end, problem: content.problem };
      const isAtEnd = end >= source.text.length || source.findMarkAt(dialect.closeMarks, end) !== undefined;
      const isOpen = !content.isClosed && content.calls.every(hasNoArguments);
      // The answer ends within its last tag.
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

const hasNoArguments = ({ isText, arguments: args }: RawCall): boolean =>
  isText === true && isRecord(args) && Object.keys(args).length === 0;

const separator = '<tool_sep>';

/**
 * Returns a reader of a name followed by alternating keys and values (GLM and related models). `prefix`: part before the name in each tag.
 */
export function createPairsBody(family: string, prefix = ''): BodyReader {
  const spelling = createPairReader(prefix);
  return ({ source }, offset, dialect) => {
    const start = source.skipSpace(offset);
    const nameEnd = findNameEnd(source.text, start);
    if (nameEnd === start) return undefined;
    const next = source.skipSpace(nameEnd);
    const isSeparated = source.text.startsWith(separator, next);
    const bodyStart = isSeparated ? source.skipSpace(next + separator.length) : next;
    const values = readTaggedValues(source, bodyStart, spelling, dialect.closeMarks);
    const isClosed = source.findMarkAt(dialect.closeMarks, values.end) !== undefined;
    const isAtEnd = isSeparated && values.end >= source.text.length;
    if (values.entries.length === 0 && values.problem === undefined && !isClosed && !isAtEnd)
      return undefined;
    const reading = buildTextCall(source.text.slice(start, nameEnd), values);
    return { ...reading, family: isSeparated ? 'hunyuan' : family };
  };
}

const nameTag = /<(name|tool_name|tool|function_name)>\s*([^\s<>]{1,128})\s*<\/\1>\s*/y;
const containerTag = /<(arguments|parameters|input|args|params|tool_input)>\s*/y;

/** Reads `<name>NAME</name>` and the values after it, with or without a container element. */
export const readToolUseBody: BodyReader = ({ source }, offset, dialect) => {
  const start = source.skipSpace(offset);
  const nameMatch = matchAt(nameTag, source.text, start);
  const name = nameMatch?.[2];
  if (!nameMatch || name === undefined) return undefined;
  const bodyStart = start + nameMatch[0].length;
  const container = matchAt(containerTag, source.text, bodyStart);
  const closeMark = container ? `</${container[1]}>` : (dialect.closeMarks[0] ?? '');
  const element = { name, closeMark, readOpenValue: createElementReader(), followMarks: ['<'] };
  const content = readElementContent(source, bodyStart + (container?.[0].length ?? 0), element, dialect);
  const isWhole = content.isClosed || source.skipSpace(content.end) >= source.text.length;
  if (content.problem === undefined && isWhole && !content.isClosed && content.calls.every(hasNoArguments))
    return { calls: [], end: content.end, problem: formatNotRun(name, earlyCutOffReason) };
  if (content.problem !== undefined || isWhole) return content;
  return { calls: [], end: bodyStart, problem: `the arguments of ${name} cannot be read` };
};

const maxNameChars = 40;
const maxTagChars = 500;
const attribute = /\s+([\w-]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const tagEnd = /(?:\s+[\w-]{1,40}\s*=\s*(?:"[^"]*"|'[^']*'))*\s*(\/?)>/y;

/**
 * Reads the element at `offset` if its tag is the name of a tool. Returns undefined for other text. If the element is not between marks, it
 * is a call only if its content fits the tool's parameters.
 */
export function readNamedElement({ source, tools }: ParseContext, offset: number): BodyReading | undefined {
  const name = findToolNameAt(source, tools, offset);
  if (name === undefined) return undefined;
  const nameEnd = offset + 1 + name.length;
  const tag = matchAt(tagEnd, source.text.slice(nameEnd, nameEnd + maxTagChars), 0);
  if (!tag) return undefined;
  const bodyStart = source.skipSpace(nameEnd + tag[0].length);
  const close = `</${name}>`;
  const isEmptyTag = tag[1] === '/';
  const closeIndex = isEmptyTag ? bodyStart : source.find(close, bodyStart);
  const { names } = tools.parametersOf(name);
  const isOwn = (key: string) => findCanonicalName(key, names) !== undefined;
  const element = { name, closeMark: close, readOpenValue: createElementReader(), followMarks: ['<'] };
  const dialect: Dialect = { family: '', openMark: close, closeMarks: [close], bodyReaders: [] };
  const content =
    closeIndex === -1 || isEmptyTag ? undefined : readElementContent(source, bodyStart, element, dialect);
  const [call] = isEmptyTag ? [{ name, arguments: {} }] : content?.isClosed ? content.calls : [];
  const attributes = [...tag[0].matchAll(attribute)].map(([, key = '', doubleQuoted, singleQuoted]) => [
    key,
    doubleQuoted ?? singleQuoted ?? '',
  ]);
  const args = { ...Object.fromEntries(attributes), ...(isRecord(call?.arguments) && call.arguments) };
  if (call && Object.keys(args).some(isOwn))
    return { calls: [{ ...call, arguments: args }], end: content?.end ?? bodyStart };
  source.countFailure();
  const firstValue = createElementReader()(source, bodyStart);
  if (!firstValue || !isOwn(firstValue.key)) return undefined;
  return closeIndex === -1
    ? { calls: [], end: bodyStart, problem: `the call of ${name} is cut off` }
    : { calls: [], end: closeIndex + close.length, problem: `the call of ${name} cannot be read` };
}

/**
 * Returns the tool's name in the tag at `offset`; undefined if there is none. Short names are excluded, because prose and HTML contain such
 * words.
 */
function findToolNameAt({ text }: AnswerText, tools: KnownTools, offset: number): string | undefined {
  const end = findNameEnd(text, offset + 1);
  const length = end - offset - 1;
  if (length < 4 || length > maxNameChars || !/[\s/>]/.test(text[end] ?? '')) return undefined;
  const name = text.slice(offset + 1, end);
  if (!name.includes('_') && name !== 'bash' && !tools.isExact(name)) return undefined;
  return text[offset - 1] !== '`' && tools.isTool(name) ? name : undefined;
}
