/**
 * Reads the definitions of source files by tree-sitter. Returns undefined for files without a grammar, longer than a
 * megabyte, or too slow to parse.
 */
import { languageOf } from './languages.ts';
import { outlineLines } from './outline.ts';
import { readSource } from './source-file.ts';
import type { Definition, SourceFile, SyntaxProblem } from './types.ts';

export { languageOf, type Language } from './languages.ts';
export { definitionsIn } from './read-items.ts';
export type { Definition, SourceFile, SourceItem, SyntaxProblem } from './types.ts';

/** Returns the names in a text of code or prose, in order. */
export const namesIn = (text: string): string[] => text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];

/** Returns a file's items in order, its definitions and its syntax problems. */
export async function sourceOf(path: string, text: string): Promise<SourceFile | undefined> {
  const language = languageOf(path);
  return language && (await readSource(language, text));
}

/** Returns a file's definitions as a tree. Offsets refer to `text`. */
export async function definitionsOf(path: string, text: string): Promise<readonly Definition[] | undefined> {
  return (await sourceOf(path, text))?.definitions;
}

/** Returns the definitions of a tree, each before its nested ones. */
export const withNested = (definitions: readonly Definition[]): Definition[] =>
  definitions.flatMap((definition) => [definition, ...withNested(definition.children)]);

/** Returns short lines with line numbers, for a file that is too long to show. */
export async function outlineOf(path: string, text: string): Promise<string[] | undefined> {
  const source = await sourceOf(path, text);
  return source && outlineLines(source.definitions);
}

/** Returns the places at which a file does not parse. */
export async function syntaxProblems(path: string, text: string): Promise<readonly SyntaxProblem[]> {
  return (await sourceOf(path, text))?.problems ?? [];
}

/** Returns problems of `after` that `before` does not have, because a grammar may reject valid code. */
export async function newProblems(path: string, before: string, after: string): Promise<SyntaxProblem[]> {
  const now = await syntaxProblems(path, after);
  const old = now.length === 0 ? [] : (await syntaxProblems(path, before)).map(({ text }) => text);
  // An old error may move after a change nearby, so an equal number means no new problem.
  if (now.length <= old.length) return [];
  return now.filter((problem) => {
    const at = old.indexOf(problem.text);
    if (at >= 0) old.splice(at, 1);
    return at < 0;
  });
}
