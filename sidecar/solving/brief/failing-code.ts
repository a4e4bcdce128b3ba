/** Finds the failing part of a test. For a failure that the test itself raises, this part shows the call that caused it. */
import { definitionsOf, type Definition } from '../../parsing/definitions/index.ts';

/** Number of lines that are shown from a failing line on, if the line is in no definition. */
const LINES_FROM_FAILURE = 5;

/** Returns the innermost definitions, such as `test('…', …)`, around the given lines (counted from 1). */
export async function findFailingCode(path: string, text: string, lines: readonly number[]): Promise<string> {
  const definitions = (await definitionsOf(path, text)) ?? [];
  const allLines = text.split('\n');
  return [...new Set(lines)]
    .map((line) => {
      const definition = findInnermost(definitions, line);
      return definition
        ? text.slice(definition.start, definition.end)
        : allLines.slice(line - 1, line + LINES_FROM_FAILURE - 1).join('\n');
    })
    .join('\n');
}

/** Returns the innermost definition that contains the line (counted from 1). */
export function findInnermost(definitions: readonly Definition[], line: number): Definition | undefined {
  const definition = definitions.find(({ startLine, endLine }) => startLine <= line && line <= endLine);
  return definition && (findInnermost(definition.children, line) ?? definition);
}
