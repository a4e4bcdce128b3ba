/**
 * Parses texts to syntax trees with tree-sitter. Grammars are WebAssembly files of a package, each loaded
 * once, on first use. Trees must be freed explicitly, because their memory is not garbage-collected.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type * as TreeSitter from 'web-tree-sitter';
import { loadOnce } from '../../base/system/load-once.ts';
import { grammarNameOf, type Language } from './languages.ts';

/** Maximum length of a text that is parsed. Longer texts are generated code or data. */
export const MAX_SOURCE_CHARS = 1_000_000;
/** Time limit of parsing, because a hostile text can make a grammar slow. */
const MAX_PARSE_MS = 2_000;

const require = createRequire(import.meta.url);
const grammars = new Map<string, () => Promise<TreeSitter.Language>>();

const loadLibrary = loadOnce(async (): Promise<typeof TreeSitter> => {
  const library = await import('web-tree-sitter');
  await library.Parser.init();
  return library;
});

async function grammarOf(language: Language): Promise<TreeSitter.Language> {
  const { Language: loader } = await loadLibrary();
  const name = grammarNameOf(language);
  let load = grammars.get(name);
  if (!load) {
    const path = require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`);
    load = loadOnce(async () => loader.load(await readFile(path)));
    grammars.set(name, load);
  }
  return await load();
}

/**
 * Parses a text and returns the result of `readResult` on its tree. Returns undefined if the text is too long or parsing takes too long.
 */
export async function parseTree<T>(
  language: Language,
  text: string,
  readResult: (tree: TreeSitter.Tree) => T,
  maxParseMs = MAX_PARSE_MS,
): Promise<T | undefined> {
  if (text.length > MAX_SOURCE_CHARS) return undefined;
  const grammar = await grammarOf(language);
  const { Parser } = await loadLibrary();
  const parser: TreeSitter.Parser = new Parser();
  const deadline = performance.now() + maxParseMs;
  let tree: TreeSitter.Tree | null = null;
  try {
    parser.setLanguage(grammar);
    tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
    return tree ? readResult(tree) : undefined;
  } finally {
    tree?.delete();
    parser.delete();
  }
}
