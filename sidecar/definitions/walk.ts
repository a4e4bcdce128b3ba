/** Goes through a syntax tree from top to bottom. */
import type { Tree, TreeCursor } from 'web-tree-sitter';

/** Calls `enter` for each node in the order of the text; where it gives false, what stands in that node is passed over. */
export function walk(tree: Tree, enter: (cursor: TreeCursor) => boolean): void {
  const cursor = tree.walk();
  try {
    for (let more = true; more;) {
      more = enter(cursor) && cursor.gotoFirstChild();
      while (!more) {
        more = cursor.gotoNextSibling();
        if (!more && !cursor.gotoParent()) return;
      }
    }
  } finally {
    cursor.delete();
  }
}
