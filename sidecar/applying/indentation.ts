/** Code that was written with another indentation, in the file's own. Lines inside strings keep theirs. */
import type { Definition } from '../definitions/index.ts';

export interface Unit {
  text: string;
  columns: number;
}

const TAB_COLUMNS = 4;

export const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? '';

/** The white space that the line of `offset` begins with. */
export function indentAt(text: string, offset: number): string {
  return indentOf(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset));
}

export function columnsOf(indent: string, tabColumns: number): number {
  let columns = 0;
  for (const char of indent) columns += char === '\t' ? tabColumns : 1;
  return columns;
}

/** One level, from how far the bodies of definitions are indented; undefined when none says. */
export function unitOf(text: string, definitions: readonly Definition[]): Unit | undefined {
  const counts = new Map<string, number>();
  const look = (definition: Definition): void => {
    const step = stepOf(text, definition);
    if (step !== undefined) counts.set(step, (counts.get(step) ?? 0) + 1);
    for (const child of definition.children) look(child);
  };
  for (const definition of definitions) look(definition);
  const [best] = [...counts].sort((a, b) => b[1] - a[1]);
  return best && unit(best[0]);
}

const unit = (text: string): Unit => ({ text, columns: text === '\t' ? TAB_COLUMNS : text.length });

/** One level in this definition, from its first line. */
export function unitIn(text: string, definition: Definition): Unit | undefined {
  const step = stepOf(text, definition);
  return step === undefined ? undefined : unit(step);
}

function stepOf(text: string, { bareStart, body, end }: Definition): string | undefined {
  if (!body) return undefined;
  const base = indentAt(text, bareStart);
  // A block that is told by its indentation begins with its first line.
  const lineEnd = text.indexOf('\n', text.slice(body.start - 1, body.start) === '{' ? body.start : bareStart);
  let at = lineEnd + 1;
  if (!/[{(]/.test(text[body.start - 1] ?? '') && body.start > lineEnd)
    at = text.lastIndexOf('\n', body.start) + 1;
  for (; at > 0 && at < end;) {
    const next = text.indexOf('\n', at);
    const line = text.slice(at, next < 0 ? text.length : next);
    if (line.trim() !== '') {
      const indent = indentOf(line);
      const step = indent.startsWith(base) ? indent.slice(base.length) : '';
      return /^(\t| {2,8})$/.test(step) ? step : undefined;
    }
    if (next < 0) break;
    at = next + 1;
  }
  return undefined;
}

export interface Move {
  /** Indentation of the definition as written. */
  from: string;
  /** Where it goes. */
  to: string;
  /** Units of both sides. */
  written?: Unit;
  file?: Unit;
}

/** What the indentation of one line becomes. */
export function movedIndent(indent: string, { from, to, written, file }: Move): string {
  const sameUnit = !written || !file || written.text === file.text;
  if (sameUnit && indent.startsWith(from)) return to + indent.slice(from.length);
  const unit = written ?? file ?? { text: '  ', columns: 2 };
  const target = file ?? unit;
  const columns = columnsOf(indent, unit.columns) - columnsOf(from, unit.columns);
  if (columns <= 0) {
    const kept = Math.max(
      0,
      columnsOf(to, target.columns) + Math.ceil((columns / unit.columns) * target.columns),
    );
    let shorter = to;
    while (columnsOf(shorter, target.columns) > kept) shorter = shorter.slice(0, -1);
    return shorter;
  }
  const levels = Math.floor(columns / unit.columns);
  return to + target.text.repeat(levels) + ' '.repeat(columns - levels * unit.columns);
}
