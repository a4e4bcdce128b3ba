/** Reads source files. The results for the most recent texts are cached. */
import { createHash } from 'node:crypto';
import type { Node, Tree } from 'web-tree-sitter';
import { parseTree } from './grammars.ts';
import type { Language } from './languages.ts';
import { listDefinitions, ItemReader } from './read-items.ts';
import { bash } from './rules/bash.ts';
import { cpp } from './rules/cpp.ts';
import { csharp } from './rules/csharp.ts';
import { go } from './rules/go.ts';
import { java } from './rules/java.ts';
import { javascript } from './rules/javascript.ts';
import { php } from './rules/php.ts';
import { python } from './rules/python.ts';
import type { LanguageRules } from './rules/language-rules.ts';
import { ruby } from './rules/ruby.ts';
import { rust } from './rules/rust.ts';
import type { SourceFile, SyntaxProblem } from './types.ts';

const RULES_BY_LANGUAGE: Record<Language, LanguageRules> = {
  javascript,
  typescript: javascript,
  tsx: javascript,
  python,
  go,
  rust,
  java,
  c: cpp,
  cpp,
  csharp,
  ruby,
  php,
  bash,
};

const MAX_CACHED_SOURCES = 64;
const MAX_PROBLEMS = 50;
const MAX_PROBLEM_CHARS = 120;
const sourceCache = new Map<string, SourceFile>();

/** Reads a source file. Returns undefined if the text is too long or takes too long to parse. */
export async function readSource(language: Language, text: string): Promise<SourceFile | undefined> {
  const key = `${language} ${createHash('sha256').update(text).digest('base64')}`;
  const cached = sourceCache.get(key);
  if (cached) {
    sourceCache.delete(key);
    sourceCache.set(key, cached);
    return cached;
  }
  // Some grammars require a line break at the end of a file.
  const closedText = text.endsWith('\n') ? text : `${text}\n`;
  const source = await parseTree(language, closedText, (tree) => buildSourceFile(language, tree, closedText));
  if (!source) return undefined;
  sourceCache.set(key, source);
  for (const oldest of sourceCache.keys()) {
    if (sourceCache.size <= MAX_CACHED_SOURCES) break;
    sourceCache.delete(oldest);
  }
  return source;
}

function buildSourceFile(language: Language, tree: Tree, text: string): SourceFile {
  const rules = RULES_BY_LANGUAGE[language];
  const items = new ItemReader(text, rules).read(tree.rootNode);
  return {
    language,
    items,
    definitions: listDefinitions(items),
    problems: findSyntaxProblems(tree, text),
    stringLines: findStringLines(tree, rules),
  };
}

/**
 * Returns the lines that begin inside a string. Strings that are statements of their own are documentation and are left out, because their
 * lines are indented with the code.
 */
function findStringLines(tree: Tree, rules: LanguageRules): Set<number> {
  const lines = new Set<number>();
  for (const node of tree.rootNode.descendantsOfType([...rules.strings])) {
    const [{ row: firstRow }, { row: lastRow }] = [node.startPosition, node.endPosition];
    if (lastRow === firstRow || isDocumentation(node)) continue;
    for (let row = firstRow + 1; row <= lastRow; row += 1) lines.add(row);
  }
  return lines;
}

const isDocumentation = (node: Node): boolean =>
  node.type === 'string' && node.parent?.type === 'expression_statement';

/** Returns the syntax problems in order, at most fifty. */
function findSyntaxProblems(tree: Tree, text: string): SyntaxProblem[] {
  if (!tree.rootNode.hasError) return [];
  const lines = text.split('\n');
  const problems: SyntaxProblem[] = [];
  const pendingNodes: Node[] = [tree.rootNode];
  while (pendingNodes.length > 0 && problems.length < MAX_PROBLEMS) {
    const node = pendingNodes.pop();
    if (!node?.hasError) continue;
    if (node.isError || node.isMissing) {
      const { row } = node.startPosition;
      const prefix = node.isMissing ? `${node.type} is missing: ` : '';
      problems.push({
        line: row + 1,
        text: (prefix + (lines[row] ?? '').trim()).slice(0, MAX_PROBLEM_CHARS),
      });
    } else for (const child of node.children.toReversed()) pendingNodes.push(child);
  }
  return problems;
}
