/**
 * Syntax trees by tree-sitter. Grammars are WebAssembly files of a package, each loaded once, when its language is first
 * met. A tree lives only while it is read: the memory behind it is not the garbage collector's.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type * as TreeSitter from 'web-tree-sitter';
import type { Language } from './languages.ts';

/** Longer texts are not read: they are generated, or data. */
export const MAX_SOURCE_CHARS = 1_000_000;
/** A grammar can take long over a hostile text. */
const MAX_PARSE_MS = 2_000;

/** C is read by C++'s grammar, which holds it. */
const GRAMMARS: Record<Language, string> = {
  javascript: 'javascript',
  typescript: 'typescript',
  tsx: 'tsx',
  python: 'python',
  go: 'go',
  rust: 'rust',
  java: 'java',
  c: 'cpp',
  cpp: 'cpp',
  csharp: 'c-sharp',
  ruby: 'ruby',
  php: 'php',
  bash: 'bash',
};

const require = createRequire(import.meta.url);
let library: Promise<typeof TreeSitter> | undefined;
const grammars = new Map<string, Promise<TreeSitter.Language>>();

function loadLibrary(): Promise<typeof TreeSitter> {
  library ??= import('web-tree-sitter').then(async (loaded) => {
    await loaded.Parser.init();
    return loaded;
  });
  return library;
}

async function grammarOf(language: Language): Promise<TreeSitter.Language> {
  const { Language: loader } = await loadLibrary();
  const name = GRAMMARS[language];
  let grammar = grammars.get(name);
  if (!grammar) {
    const path = require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`);
    grammar = readFile(path).then((bytes) => loader.load(bytes));
    grammars.set(name, grammar);
  }
  return await grammar;
}

/** The outcome of `read` on the tree; undefined when the text is too long or took too long. */
export async function withTree<T>(
  language: Language,
  text: string,
  read: (tree: TreeSitter.Tree) => T,
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
    return tree ? read(tree) : undefined;
  } finally {
    tree?.delete();
    parser.delete();
  }
}
