/** One name in place of another, wherever it stands for itself and is no part of a text. */
import type { Tree } from 'web-tree-sitter';
import { withTree } from './grammars.ts';
import type { Language } from './languages.ts';
import { walk } from './walk.ts';

/** The text with `to` in place of each name `from`, and of each string that is nothing else; undefined where it cannot be read. */
export async function renameIdentifier(
  language: Language,
  text: string,
  { from, to }: { from: string; to: string },
): Promise<string | undefined> {
  const places = await withTree(language, text, (tree) => placesOf(tree, from));
  return places
    ?.toSorted((a, b) => b - a)
    .reduce((renamed, at) => renamed.slice(0, at) + to + renamed.slice(at + from.length), text);
}

/** Where names of the tree have that text. What holds nothing but the name begins where the name does. */
function placesOf(tree: Tree, name: string): number[] {
  const places = new Set<number>();
  walk(tree, (cursor) => {
    const isName = cursor.endIndex - cursor.startIndex === name.length && cursor.nodeText === name;
    if (isName) places.add(cursor.startIndex);
    return true;
  });
  return [...places];
}
