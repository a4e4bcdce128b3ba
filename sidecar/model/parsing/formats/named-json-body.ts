/**
 * Formats that give the name by marks of their own and the arguments as JSON: Mistral, DeepSeek, Kimi, Harmony.
 */
import { maxCalls, type RawCall } from '../result.ts';
import { bareName, nameEnd, type BodyReader, type Format, type ReadContext } from './format.ts';
import { jsonBody, readArguments, tracesOf, type ArgumentsReading } from './json-body.ts';
import { xmlBody } from './xml-body.ts';

const maxHeaderLength = 400;

/** `[TOOL_CALLS]` and then a list, or `name[ARGS]{…}`, optionally with `[CALL_ID]x` before `[ARGS]`; repeated. */
export const mistralBody: BodyReader = (context, at, format) => {
  const { source } = context;
  const listed = jsonBody(context, at, format);
  if (listed) return listed;
  const calls: RawCall[] = [];
  let position = source.skipSpace(at);
  while (calls.length <= maxCalls) {
    const end = nameEnd(source.text, position);
    if (end === position) break;
    const name = bareName(source.text.slice(position, end));
    let next = source.skipSpace(end);
    let id: string | undefined;
    if (source.text.startsWith('[CALL_ID]', next)) {
      const idEnd = nameEnd(source.text, next + 9);
      id = source.text.slice(next + 9, idEnd);
      next = source.skipSpace(idEnd);
    }
    if (source.text.startsWith('[ARGS]', next)) next += 6;
    else if (source.text[next] !== '{') break;
    const read = readArguments(source, next, format);
    if (read.problem !== undefined) return { calls, end: read.end, ...(calls.length === 0 && read) };
    calls.push({ name, ...callOf(read), ...(id !== undefined && { id }) });
    position = source.skipSpace(read.end);
    if (source.text.startsWith(format.open, position))
      position = source.skipSpace(position + format.open.length);
  }
  return calls.length > 0 ? { calls, end: position } : undefined;
};

/** What stands before and after DeepSeek's separator decides: `function` and then a name, or the name itself. */
export function deepseekBody(separator: string): BodyReader {
  const step3 = xmlBody({
    family: 'step3',
    call: '<steptml:invoke',
    callEnd: '</steptml:invoke>',
    parameters: [{ open: '<steptml:parameter', close: '</steptml:parameter>' }],
    lines: 'pair',
  });
  return (context, at, format) => {
    const { source } = context;
    const header = headerEnd(context, separator, at);
    if (header === -1) return undefined;
    const kind = source.text.slice(at, header).trim();
    const after = source.skipSpace(header + separator.length);
    if (source.text.startsWith('<steptml:', after)) return step3(context, after, format);
    if (source.text[after] === '{') return namedCall(context, kind, after, format, 'deepseek-v3.1');
    const end = nameEnd(source.text, after);
    const name = end === after ? kind : source.text.slice(after, end);
    if (name === '') return undefined;
    if (end === after && kind === 'function')
      return { calls: [], end: after, problem: 'the tool call is cut off before its name' };
    return namedCall(context, name, end, format, 'deepseek-v3');
  };
}

/** `functions.NAME:0<|tool_call_argument_begin|>{…}`; the part before the mark is the call's id too. */
export const kimiBody: BodyReader = (context, at, format) => {
  const mark = '<|tool_call_argument_begin|>';
  const header = headerEnd(context, mark, at);
  if (header === -1) return undefined;
  const id = context.source.text.slice(at, header).trim();
  const name = id.replace(/:\d{1,9}$/, '');
  if (name === '') return undefined;
  return namedCall(context, name, header + mark.length, format, undefined, name === id ? undefined : id);
};

/**
 * `commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>` after `<|channel|>`. What is for nobody in
 * particular (`final`, `commentary`) is prose.
 */
export const harmonyBody: BodyReader = (context, at, format) => {
  const mark = '<|message|>';
  const header = headerEnd(context, mark, at);
  if (header === -1) return undefined;
  const name = /to=([\w.:-]{1,128})/.exec(context.source.text.slice(at, header))?.[1];
  const body = header + mark.length;
  const isQuoted = context.source.text[at - format.open.length - 1] === '`';
  if (!name && isQuoted) return undefined;
  return name ? namedCall(context, name, body, format) : { calls: [], end: body };
};

/** `NAME`, a line break, then JSON, after Functionary's `>>>` or GigaChat's marks. */
export const namedLineBody: BodyReader = (context, at, format) => {
  const { source } = context;
  const start = source.skipSpace(at);
  const end = nameEnd(source.text, start);
  const body = source.skipSpace(end);
  if (end === start || source.text[body] !== '{') return undefined;
  return namedCall(context, source.text.slice(start, end), body, format);
};

function headerEnd({ source }: ReadContext, mark: string, at: number): number {
  const end = source.find(mark, at);
  return end === -1 || end - at > maxHeaderLength ? -1 : end;
}

function namedCall(
  { source }: ReadContext,
  name: string,
  at: number,
  format: Format,
  family?: string,
  id?: string,
) {
  const read = readArguments(source, at, format);
  if (read.problem !== undefined) return { calls: [], end: read.end, problem: read.problem };
  const call: RawCall = { name: bareName(name), ...callOf(read), ...(id !== undefined && { id }) };
  return { calls: [call], end: read.end, ...(family !== undefined && { family }) };
}

function callOf(read: ArgumentsReading): Omit<RawCall, 'name'> {
  return { arguments: read.arguments, ...tracesOf(read) };
}
