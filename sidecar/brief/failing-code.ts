/** The part of a test that fails: it says what is called, where the failure itself is raised in the test. */
import { definitionsOf, type Definition } from '../definitions/index.ts';

/** Where nothing that is defined holds the line. */
const LINES_BEHIND = 5;

/** For each line (from 1) that a failure names: the innermost definition around it, such as `test('…', …)`. */
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

/** The innermost definition that holds the line, from 1. */
export function innermostAt(definitions: readonly Definition[], line: number): Definition | undefined {
  const holder = definitions.find(({ startLine, endLine }) => startLine <= line && line <= endLine);
  return holder && (innermostAt(holder.children, line) ?? holder);
}
