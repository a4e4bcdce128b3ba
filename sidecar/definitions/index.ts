/**
 * The definitions of a source file, read with tree-sitter's grammars. Everything here yields undefined for files that no
 * grammar reads, that are longer than a megabyte, or that take too long.
 */
import { languageOf } from './languages.ts';
import { outlineLines } from './outline.ts';
import { readSource } from './source-file.ts';
import type { Definition, SourceFile, SyntaxProblem } from './types.ts';

export { languageOf, type Language } from './languages.ts';
export { definitionsIn } from './read-items.ts';
export type { Definition, SourceFile, SourceItem, SyntaxProblem } from './types.ts';

/** Names in a text of code or prose, one after the other: words as most languages write them. */
export const namesIn = (text: string): string[] => text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];

/** All that was read of a file: items in order, definitions, problems. */
export async function sourceOf(path: string, text: string): Promise<SourceFile | undefined> {
  const language = languageOf(path);
  return language && (await readSource(language, text));
}

/** The definitions of a file as a tree. Offsets are into `text`. */
export async function definitionsOf(path: string, text: string): Promise<readonly Definition[] | undefined> {
  return (await sourceOf(path, text))?.definitions;
}

/** The definitions of a tree, each before those that stand in it. */
export const withNested = (definitions: readonly Definition[]): Definition[] =>
  definitions.flatMap((definition) => [definition, ...withNested(definition.children)]);

/** Short lines with line numbers for a file that is too long to show. */
export async function outlineOf(path: string, text: string): Promise<string[] | undefined> {
  const source = await sourceOf(path, text);
  return source && outlineLines(source.definitions);
}

/** Where the file does not parse. */
export async function syntaxProblems(path: string, text: string): Promise<readonly SyntaxProblem[]> {
  return (await sourceOf(path, text))?.problems ?? [];
}

/** Problems that `after` has and `before` has not: a grammar may be wrong about a valid file, but not by a change. */
export async function newProblems(path: string, before: string, after: string): Promise<SyntaxProblem[]> {
  const now = await syntaxProblems(path, after);
  const old = now.length === 0 ? [] : (await syntaxProblems(path, before)).map(({ text }) => text);
  // The old error may begin at another place after a change nearby: as many as before are no news.
  if (now.length <= old.length) return [];
  return now.filter((problem) => {
    const at = old.indexOf(problem.text);
    if (at >= 0) old.splice(at, 1);
    return at < 0;
  });
}
