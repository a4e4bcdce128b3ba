/**
 * Calls as lines of Python without marks: in the `tool_code` fence that Gemma 3 writes, as the whole answer when every
 * name is a known tool's, or as all of a Python fence in prose when no program would have functions of such names.
 * They are looked for first: what stands in their strings is nobody else's.
 */
import { nameEnd } from './formats/format.ts';
import { readCallLines } from './formats/pythonic-body.ts';
import type { KnownTools } from './known-tools.ts';
import type { Span } from './prose.ts';
import type { RawCall } from './result.ts';
import type { Source } from './source.ts';

const fence = '```tool_code';
const pythonFence = /```(?:python|py)?[ \t]{0,4}\n\s{0,8}(?=(?:print\()?[a-z]+_[\w.]{1,60}\()/g;
const maxFences = 50;

/** How a call in Python is to be sent again. */
export const pythonAdvice =
  'Send the whole call again, with each quote, backslash and line break inside a text escaped';

/** No calls: there is something that was meant as one and cannot be read. */
export interface PythonLines {
  calls: RawCall[];
  family: string;
  /** Where the calls stand, in order. */
  spans: Span[];
}

/** A look that costs nothing in plain prose. */
export function mayHoldPythonLines(content: string): boolean {
  return (
    content.includes(fence) ||
    (content.includes('```') && content.search(pythonFence) !== -1) ||
    /^\s{0,20}(?:```[a-z_]{0,20}\s{1,20})?[a-z_][\w.]{0,127}\(/i.test(content.slice(0, 200))
  );
}

/** The calls and where they stand; undefined when there is nothing of the kind. */
export function readPythonLines(source: Source, tools: KnownTools): PythonLines | undefined {
  const fenced = source.text.search(/^[ \t]{0,8}```tool_code/m);
  if (fenced !== -1) {
    const body = source.skipSpace(source.text.indexOf(fence, fenced) + fence.length);
    const reading = readCallLines(source, body);
    const end = reading?.end ?? body;
    const isWhole =
      reading && (end >= source.text.length || source.text.startsWith('```', source.skipSpace(end)));
    if (isWhole) return { calls: reading.calls, family: 'gemma3', spans: [{ start: fenced, end }] };
    return { calls: [], family: 'gemma3', spans: [{ start: fenced, end: source.text.length }] };
  }
  return wholeAnswer(source, tools) ?? fenceInProse(source, tools);
}

function wholeAnswer(source: Source, tools: KnownTools): PythonLines | undefined {
  const [opening] = /^\s*(?:```[a-z_]{0,20}\s+)?/i.exec(source.text) ?? [''];
  const reading = readCallLines(source, opening.length);
  const name = source.text.slice(opening.length, nameEnd(source.text, opening.length));
  const spans = [{ start: 0, end: source.text.length }];
  const isCall = name.includes('_') && tools.knows(name) && source.text[opening.length + name.length] === '(';
  if (!reading)
    return isCall && mayBeArguments(source, opening.length + name.length + 1)
      ? { calls: [], family: 'pythonic', spans }
      : undefined;
  if (!reading.calls.every((call) => tools.knows(call.name))) return undefined;
  const rest = source.text.slice(reading.end).trim();
  return rest === '' || rest === '```' ? { calls: reading.calls, family: 'pythonic', spans } : undefined;
}

/** A name with an equals sign or a string, which no sentence about a function has behind the bracket. */
function mayBeArguments({ text }: Source, at: number): boolean {
  return /^\s{0,8}(?:["']|\w{1,40}\s{0,4}=\s{0,4}["'\d[{TFN])/.test(text.slice(at, at + 80));
}

/** The calls of all such fences; a fence with anything else in it is code. */
function fenceInProse(source: Source, tools: KnownTools): PythonLines | undefined {
  const calls: RawCall[] = [];
  const spans: Span[] = [];
  for (const found of [...source.text.matchAll(pythonFence)].slice(0, maxFences)) {
    if (found.index < (spans.at(-1)?.end ?? 0)) continue;
    const reading = readCallLines(source, found.index + found[0].length);
    if (!reading || !source.text.startsWith('```', source.skipSpace(reading.end))) continue;
    if (!reading.calls.every(({ name }) => name.includes('_') && tools.knows(name))) continue;
    calls.push(...reading.calls);
    spans.push({ start: found.index, end: reading.end });
  }
  return calls.length > 0 ? { calls, spans, family: 'pythonic' } : undefined;
}
