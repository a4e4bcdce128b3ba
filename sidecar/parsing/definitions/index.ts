/**
 * Reads the definitions of source files with tree-sitter. Functions return undefined, or no problems, for
 * files that have no grammar, are longer than a megabyte, or are too slow to parse.
 */
import { languageOf } from './languages.ts';
import { readSource } from './source-file.ts';
import type { Definition, SourceFile, SyntaxProblem } from './types.ts';

export { languageOf, type Language } from './languages.ts';
export { listDefinitions } from './read-items.ts';
export type { Definition, SourceFile, SourceItem, SyntaxProblem } from './types.ts';

/** Returns the names in a text of code or prose, in order. */
export const extractNames = (text: string): string[] => text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];

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
export const flattenDefinitions = (definitions: readonly Definition[]): Definition[] =>
  definitions.flatMap((definition) => [definition, ...flattenDefinitions(definition.children)]);

const MAX_OUTLINE_LINES = 400;
const MAX_OUTLINE_DEPTH = 4;

/** Returns an outline of short lines with line numbers, for a file that is too long to show. */
export async function outlineOf(path: string, text: string): Promise<string[] | undefined> {
  const source = await sourceOf(path, text);
  return source && formatOutline(source.definitions);
}

/** Formats a file's definitions as lines such as `12-40 class Store`. Members are indented. */
function formatOutline(definitions: readonly Definition[]): string[] {
  const lines: string[] = [];
  addLines(lines, definitions, 0);
  return lines.length > MAX_OUTLINE_LINES
    ? [...lines.slice(0, MAX_OUTLINE_LINES), `… ${lines.length - MAX_OUTLINE_LINES} more`]
    : lines;
}

function addLines(lines: string[], definitions: readonly Definition[], depth: number): void {
  if (depth > MAX_OUTLINE_DEPTH) return;
  for (const { startLine, endLine, signature, children, kind, form } of definitions) {
    const isData = kind === 'property' && form === 'pair';
    if (isData) continue;
    const range = startLine === endLine ? String(startLine) : `${startLine}-${endLine}`;
    lines.push(`${'  '.repeat(depth)}${range} ${signature}`);
    addLines(lines, children, depth + 1);
  }
}

/** Returns the syntax problems of a file. */
export async function findSyntaxProblems(path: string, text: string): Promise<readonly SyntaxProblem[]> {
  return (await sourceOf(path, text))?.problems ?? [];
}

/**
 * Returns the syntax problems of `after` that `before` does not have. Old problems are left out, because a grammar may reject valid code.
 */
export async function findNewProblems(path: string, before: string, after: string): Promise<SyntaxProblem[]> {
  const currentProblems = await findSyntaxProblems(path, after);
  const oldTexts =
    currentProblems.length === 0 ? [] : (await findSyntaxProblems(path, before)).map(({ text }) => text);
  // If there are not more problems than before, none is new: a change nearby may only have moved an old one.
  if (currentProblems.length <= oldTexts.length) return [];
  return currentProblems.filter((problem) => {
    const index = oldTexts.indexOf(problem.text);
    if (index >= 0) oldTexts.splice(index, 1);
    return index < 0;
  });
}
