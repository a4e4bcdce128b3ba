/** Formats a file's definitions as lines such as `12-40 class Store`. Members are indented. */
import type { Definition } from './types.ts';

const MAX_LINES = 400;
const MAX_DEPTH = 4;

export function outlineLines(definitions: readonly Definition[]): string[] {
  const lines: string[] = [];
  addLines(lines, definitions, 0);
  return lines.length > MAX_LINES
    ? [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more`]
    : lines;
}

function addLines(lines: string[], definitions: readonly Definition[], depth: number): void {
  if (depth > MAX_DEPTH) return;
  for (const { startLine, endLine, signature, children, kind, form } of definitions) {
    const isData = kind === 'property' && form === 'pair';
    if (isData) continue;
    const range = startLine === endLine ? String(startLine) : `${startLine}-${endLine}`;
    lines.push(`${'  '.repeat(depth)}${range} ${signature}`);
    addLines(lines, children, depth + 1);
  }
}
