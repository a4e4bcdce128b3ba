/**
 * Calls as lines of Python without marks: in the `tool_code` fence that Gemma 3 writes, as the whole answer when every
 * name is a known tool's, or as all of a Python fence in prose when no program would have functions of such names.
 */
import { readCallLines } from './formats/pythonic-body.ts';
import type { KnownTools } from './known-tools.ts';
import type { RawCall } from './result.ts';
import type { Source } from './source.ts';

const fence = '```tool_code';
const pythonFence = /```(?:python|py)?[ \t]{0,4}\n\s{0,8}(?=(?:print\()?[a-z]+_[\w.]{1,60}\()/g;
const maxFences = 50;

/** A look that costs nothing in plain prose. */
export function mayHoldPythonLines(content: string): boolean {
  return (
    content.includes(fence) ||
    content.search(pythonFence) !== -1 ||
    /^\s{0,20}(?:```[a-z_]{0,20}\s{1,20})?[a-z_][\w.]{0,127}\(/i.test(content.slice(0, 200))
  );
}

/** The calls and where they start; undefined when there are none. */
export function readPythonLines(source: Source, tools: KnownTools): Lines | undefined {
  const fenced = source.find(fence, 0);
  if (fenced !== -1) {
    const reading = readCallLines(source, source.skipSpace(fenced + fence.length));
    return reading && { calls: reading.calls, start: fenced, family: 'gemma3' };
  }
  return wholeAnswer(source, tools) ?? fenceInProse(source, tools);
}

type Lines = { calls: RawCall[]; start: number; family: string };

function wholeAnswer(source: Source, tools: KnownTools): Lines | undefined {
  const [opening] = /^\s*(?:```[a-z_]{0,20}\s+)?/i.exec(source.text) ?? [''];
  const reading = readCallLines(source, opening.length);
  if (!reading || !reading.calls.every(({ name }) => tools.knows(name))) return undefined;
  const rest = source.text.slice(reading.end).trim();
  return rest === '' || rest === '```' ? { calls: reading.calls, start: 0, family: 'pythonic' } : undefined;
}

/** The calls of all such fences; a fence with anything else in it is code. */
function fenceInProse(source: Source, tools: KnownTools): Lines | undefined {
  const calls: RawCall[] = [];
  let start = source.text.length;
  for (const found of [...source.text.matchAll(pythonFence)].slice(0, maxFences)) {
    const reading = readCallLines(source, found.index + found[0].length);
    if (!reading || !source.text.startsWith('```', source.skipSpace(reading.end))) continue;
    if (!reading.calls.every(({ name }) => name.includes('_') && tools.knows(name))) continue;
    calls.push(...reading.calls);
    start = Math.min(start, found.index);
  }
  return calls.length > 0 ? { calls, start, family: 'pythonic' } : undefined;
}
