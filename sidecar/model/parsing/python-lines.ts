/**
 * Calls as lines of Python without marks: in the `tool_code` fence that Gemma 3 writes, or as the whole answer
 * when every name is a known tool's.
 */
import { readCallLines } from './formats/pythonic-body.ts';
import type { KnownTools } from './known-tools.ts';
import type { RawCall } from './result.ts';
import type { Source } from './source.ts';

const fence = '```tool_code';

/** A look that costs nothing in plain prose. */
export function mayHoldPythonLines(content: string): boolean {
  return (
    content.includes(fence) ||
    /^\s{0,20}(?:```[a-z_]{0,20}\s{1,20})?[a-z_][\w.]{0,127}\(/i.test(content.slice(0, 200))
  );
}

/** The calls and where they start; undefined when there are none. */
export function readPythonLines(
  source: Source,
  tools: KnownTools,
): { calls: RawCall[]; start: number; family: string } | undefined {
  const fenced = source.find(fence, 0);
  if (fenced !== -1) {
    const reading = readCallLines(source, source.skipSpace(fenced + fence.length));
    return reading && { calls: reading.calls, start: fenced, family: 'gemma3' };
  }
  const [opening] = /^\s*(?:```[a-z_]{0,20}\s+)?/i.exec(source.text) ?? [''];
  const reading = readCallLines(source, opening.length);
  if (!reading || !reading.calls.every(({ name }) => tools.knows(name))) return undefined;
  const rest = source.text.slice(reading.end).trim();
  return rest === '' || rest === '```' ? { calls: reading.calls, start: 0, family: 'pythonic' } : undefined;
}
