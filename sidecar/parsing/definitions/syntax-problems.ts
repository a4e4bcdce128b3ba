import type { Node, Tree } from 'web-tree-sitter';
import type { SyntaxProblem } from './types.ts';

const MAX_PROBLEMS = 50;
const MAX_TEXT_CHARS = 120;

/** Returns the syntax problems in order, at most fifty. */
export function problemsIn(tree: Tree, text: string): SyntaxProblem[] {
  if (!tree.rootNode.hasError) return [];
  const lines = text.split('\n');
  const problems: SyntaxProblem[] = [];
  const open: Node[] = [tree.rootNode];
  while (open.length > 0 && problems.length < MAX_PROBLEMS) {
    const node = open.pop();
    if (!node?.hasError) continue;
    if (node.isError || node.isMissing) {
      const { row } = node.startPosition;
      const missing = node.isMissing ? `${node.type} is missing: ` : '';
      problems.push({ line: row + 1, text: (missing + (lines[row] ?? '').trim()).slice(0, MAX_TEXT_CHARS) });
    } else open.push(...node.children.toReversed());
  }
  return problems;
}
