/** One name in place of another, wherever it stands for itself and is no part of a text. */
import type { Tree } from 'web-tree-sitter';
import { TextEdits } from '../values/text-edits.ts';
import { withTree } from './grammars.ts';
import type { Language } from './languages.ts';
import { walk } from './walk.ts';

/**
 * The text with `to` in place of each name `from` and, `withTexts`, of each string that is nothing else; undefined where it
 * cannot be read.
 */
export async function renameIdentifier(
  language: Language,
  text: string,
  { from, to, withTexts }: { from: string; to: string; withTexts: boolean },
): Promise<string | undefined> {
  const places = await withTree(language, text, (tree) => placesOf(tree, from, withTexts));
  if (!places) return undefined;
  const edits = new TextEdits();
  for (const at of places) edits.replace(at, at + from.length, to);
  return edits.apply(text);
}

/** What stands between the quotes of a string, as the grammars call it. */
const TEXTS = /^string_(?:fragment|content|literal_content)$|^(?:interpreted|raw)_string_literal_content$/u;

/** Where names of the tree have that text. What holds nothing but the name begins where the name does. */
function placesOf(tree: Tree, name: string, withTexts: boolean): number[] {
  const places = new Set<number>();
  walk(tree, (cursor) => {
    const isName = cursor.endIndex - cursor.startIndex === name.length && cursor.nodeText === name;
    if (isName && (withTexts || !TEXTS.test(cursor.nodeType))) places.add(cursor.startIndex);
    return true;
  });
  return [...places];
}
