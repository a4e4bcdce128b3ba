/** Notes on a change after which a file no longer parses. */
import { findNewProblems } from '../parsing/definitions/index.ts';

const MAX_SHOWN = 3;

/** Returns a sentence with the syntax errors, or an empty text. `before` is undefined for a new file. */
export async function syntaxNote(path: string, before: string | undefined, after: string): Promise<string> {
  const problems = await findNewProblems(path, before ?? '', after);
  if (problems.length === 0) return '';
  const shown = problems.slice(0, MAX_SHOWN).map(({ line, text }) => `line ${line}: ${text}`);
  const more = problems.length - shown.length;
  return `\n${path} does not parse any more after this. ${shown.join('; ')}${more > 0 ? ` and ${more} more` : ''}. Repair that first.`;
}
