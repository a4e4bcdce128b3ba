/**
 * Reads the deletions of an answer: a comment `deleted: name` in place of a definition, or `deleted` alone
 * for a whole file. A definition that is only omitted is not deleted.
 */
import { sourceOf, flattenDefinitions, type Definition } from '../definitions/index.ts';
import { TextEdits } from './text-edits.ts';
import { readRestOfLine } from './code-text.ts';

const DELETION_COMMENT =
  /^[ \t]*(?:\/\/|#|--|\/\*|<!--)[ \t]*(?:deleted|removed)[ \t]*:[ \t]*`?([\w$.]+(?:`?,[ \t]*`?[\w$.]+)*)`?(?:\(\))?[ \t]*(?:\*\/|-->)?[ \t]*$/gimu;
const FILE_DELETION_WORD = /^(?:\/\/|#|--|\/\*|<!--)?\s*\(?(?:deleted|removed)\)?\s*(?:\*\/|-->)?$/iu;
/** Maximum length of a block that is examined for the word that deletes its file. */
const MAX_WORD_CHARS = 40;

/** Returns whether a block consists only of the word that deletes its file. */
export function isDeletion(text: string): boolean {
  const word = text.trim();
  return word.length <= MAX_WORD_CHARS && FILE_DELETION_WORD.test(word);
}

/** Returns the names of definitions that a block deletes, and the block without the deletion comments. */
export function readDeletions(text: string): { text: string; names: string[] } {
  const names: string[] = [];
  const textWithoutDeletions = text.replaceAll(DELETION_COMMENT, (_line, listed: string) => {
    names.push(...listed.split(',').map((name) => name.replaceAll(/[\s`]/gu, '')));
    return '';
  });
  return { text: textWithoutDeletions, names };
}

/** Removes the named definitions (`Class.method` for a member). Also returns the names that are missing in the file or ambiguous. */
export async function removeDefinitions(
  path: string,
  text: string,
  names: readonly string[],
): Promise<{ text: string; missing: string[] }> {
  const source = names.length === 0 ? undefined : await sourceOf(path, text);
  if (!source) return { text, missing: [...names] };
  const edits = new TextEdits();
  const missing: string[] = [];
  const definitions = flattenDefinitions(source.definitions);
  for (const name of names) {
    const exact = definitions.filter((definition) => fullNameOf(definition) === name);
    const [definition, another] =
      exact.length > 0 ? exact : definitions.filter((candidate) => candidate.name === name);
    if (!definition || another || edits.overlaps(definition.start, definition.end)) missing.push(name);
    else edits.replace(...rangeOf(text, definition), '');
  }
  for (const item of source.items) {
    if (item.type !== 'statement' || item.role !== 'exports') continue;
    const statement = text.slice(item.start, item.end);
    const shorter = names.reduce(removeEntry, statement);
    if (shorter !== statement) edits.replace(item.start, item.end, shorter);
  }
  return { text: edits.apply(text), missing };
}

const fullNameOf = ({ container, name }: Definition): string =>
  container === undefined ? name : `${container}.${name}`;

/** Returns the range to remove for a definition: whole lines with a trailing comment and blank lines, but without an interpreter line. */
function rangeOf(text: string, { start, startAfterExport, end }: Definition): [number, number] {
  const from = text.startsWith('#!', start) ? startAfterExport : start;
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  const isAlone = text.slice(lineStart, from).trim() === '';
  const last = end + readRestOfLine(text, end).length;
  const [blank = ''] = /^(?:\n[ \t]*(?=\n|$))*\n?/u.exec(text.slice(last)) ?? [];
  return [isAlone ? lineStart : from, last + blank.length];
}

/** Removes one name from a list of exports. */
function removeEntry(list: string, name: string): string {
  const entry = String.raw`(?<![\w$.])['"]?${name.replaceAll('$', String.raw`\$`)}['"]?(?![\w$]|\s*:)`;
  return list
    .replace(new RegExp(String.raw`${entry}\s*,[ \t]*\n?`, 'u'), '')
    .replace(new RegExp(String.raw`,?\s*${entry}`, 'u'), '');
}
