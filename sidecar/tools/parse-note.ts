/** Describes syntax errors that a change caused. */
import { findNewProblems } from '../parsing/definitions/index.ts';

const MAX_SHOWN_PROBLEMS = 3;

/** Returns a sentence with the syntax errors, or an empty text. `before` is undefined for a new file. */
export async function describeNewProblems(
  path: string,
  before: string | undefined,
  after: string,
): Promise<string> {
  const problems = await findNewProblems(path, before ?? '', after);
  if (problems.length === 0) return '';
  const shown = problems.slice(0, MAX_SHOWN_PROBLEMS).map(({ line, text }) => `line ${line}: ${text}`);
  const hiddenCount = problems.length - shown.length;
  return `\nAfter this change, ${path} does not parse: ${shown.join('; ')}${hiddenCount > 0 ? ` and ${hiddenCount} more` : ''}. Repair this first.`;
}
