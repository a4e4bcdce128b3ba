/** Finds the failing part of a test, which shows the call behind a failure that the test itself raises. */
import { definitionsOf, type Definition } from '../../parsing/definitions/index.ts';

/** Lines shown from a failing line on, if no definition holds it. */
const LINES_BEHIND = 5;

/** Returns the innermost definitions around the lines (from 1) that failures name, such as `test('…', …)`. */
export async function failingCode(path: string, text: string, lines: readonly number[]): Promise<string> {
  const definitions = (await definitionsOf(path, text)) ?? [];
  const all = text.split('\n');
  return [...new Set(lines)]
    .map((line) => {
      const holder = innermostAt(definitions, line);
      return holder
        ? text.slice(holder.start, holder.end)
        : all.slice(line - 1, line + LINES_BEHIND - 1).join('\n');
    })
    .join('\n');
}

/** Returns the innermost definition that holds the line (from 1). */
export function innermostAt(definitions: readonly Definition[], line: number): Definition | undefined {
  const holder = definitions.find(({ startLine, endLine }) => startLine <= line && line <= endLine);
  return holder && (innermostAt(holder.children, line) ?? holder);
}
