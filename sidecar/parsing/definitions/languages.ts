/** Table of languages with their fences, file extensions and grammars. */
import { posix } from 'node:path';

export type Language =
  | 'javascript'
  | 'typescript'
  | 'tsx'
  | 'python'
  | 'go'
  | 'rust'
  | 'java'
  | 'c'
  | 'cpp'
  | 'csharp'
  | 'ruby'
  | 'php'
  | 'bash';

interface LanguageRow {
  /** Word that this program writes on a code fence of the language. */
  fence: string;
  /** Other words that models write on such a fence. */
  words?: string;
  /** File extensions of the language. */
  extensions: string;
  /** Complete file names, for files without such an extension. */
  names?: string;
  /** Language of the definitions; missing if there is no grammar for it. */
  language?: Language;
  grammar?: string;
  /** Set for prose and data, which are not searched for code. */
  isText?: true;
}

/** Rows of the table of languages. C uses the grammar of C++, which also parses C. */
const LANGUAGE_ROWS: readonly LanguageRow[] = [
  {
    fence: 'js',
    words: 'javascript',
    extensions: 'js mjs cjs',
    language: 'javascript',
    grammar: 'javascript',
  },
  { fence: 'jsx', extensions: 'jsx', language: 'javascript', grammar: 'javascript' },
  {
    fence: 'ts',
    words: 'typescript',
    extensions: 'ts mts cts',
    language: 'typescript',
    grammar: 'typescript',
  },
  { fence: 'tsx', extensions: 'tsx', language: 'tsx', grammar: 'tsx' },
  { fence: 'python', extensions: 'py pyi pyw', language: 'python', grammar: 'python' },
  { fence: 'go', words: 'golang', extensions: 'go', language: 'go', grammar: 'go' },
  { fence: 'rust', extensions: 'rs', language: 'rust', grammar: 'rust' },
  { fence: 'java', extensions: 'java', language: 'java', grammar: 'java' },
  { fence: 'c', extensions: 'c h', language: 'c', grammar: 'cpp' },
  { fence: 'cpp', extensions: 'cc cpp cxx c++ hh hpp hxx ipp inl', language: 'cpp', grammar: 'cpp' },
  { fence: 'csharp', words: 'c#', extensions: 'cs csx', language: 'csharp', grammar: 'c-sharp' },
  {
    fence: 'ruby',
    extensions: 'rb rake gemspec',
    names: 'rakefile gemfile',
    language: 'ruby',
    grammar: 'ruby',
  },
  { fence: 'php', extensions: 'php phtml', language: 'php', grammar: 'php' },
  {
    fence: 'bash',
    words: 'shell',
    extensions: 'sh bash zsh ksh',
    names: '.bashrc .profile',
    language: 'bash',
    grammar: 'bash',
  },
  { fence: 'kotlin', extensions: 'kt' },
  { fence: 'swift', extensions: 'swift' },
  { fence: 'scala', extensions: 'scala' },
  { fence: 'elixir', extensions: 'ex exs' },
  { fence: 'erlang', extensions: 'erl' },
  { fence: 'lua', extensions: 'lua' },
  { fence: 'perl', extensions: 'pl' },
  { fence: 'r', extensions: 'r' },
  { fence: 'dart', extensions: 'dart' },
  { fence: 'vue', extensions: 'vue' },
  { fence: 'svelte', extensions: 'svelte' },
  { fence: 'sql', extensions: 'sql' },
  { fence: 'json', extensions: 'json', isText: true },
  { fence: 'yaml', extensions: 'yaml yml', isText: true },
  { fence: 'toml', extensions: 'toml', isText: true },
  { fence: 'ini', extensions: 'ini cfg conf', isText: true },
  { fence: 'markdown', extensions: 'md markdown mdx', isText: true },
  { fence: 'html', extensions: 'html', isText: true },
  { fence: 'css', extensions: 'css', isText: true },
  { fence: 'scss', extensions: 'scss', isText: true },
  { fence: 'xml', extensions: 'xml', isText: true },
];

const indexRows = (wordsOf: (row: LanguageRow) => string): ReadonlyMap<string, LanguageRow> =>
  new Map(
    LANGUAGE_ROWS.toReversed().flatMap((row) =>
      wordsOf(row)
        .split(' ')
        .filter(Boolean)
        .map((word) => [word, row]),
    ),
  );
const ROW_BY_EXTENSION = indexRows(({ extensions }) => extensions);
const ROW_BY_NAME = indexRows(({ names = '' }) => names);
const ROW_BY_WORD = indexRows(({ fence, words = '', extensions }) => `${fence} ${words} ${extensions}`);
const ROW_BY_LANGUAGE = indexRows(({ language = '' }) => language);

/** Groups of languages that share code: a fence of one language is accepted for files of the others. */
const FAMILIES: readonly ReadonlySet<Language>[] = [
  new Set(['javascript', 'typescript', 'tsx']),
  new Set(['c', 'cpp']),
];

export const isJavaScriptLike = (language: Language): boolean => FAMILIES[0]?.has(language) ?? false;

/** Returns whether the word on a fence fits the language. An unknown word fits any language. */
export function isFenceOf(word: string, language: Language): boolean {
  const wordLanguage = ROW_BY_WORD.get(word)?.language ?? language;
  return (
    wordLanguage === language || FAMILIES.some((family) => family.has(wordLanguage) && family.has(language))
  );
}

/** Returns whether the word on a fence matches the kind of a text or data file. */
export function isTextFenceOf(word: string, path: string): boolean {
  const row = ROW_BY_WORD.get(word);
  return row?.isText === true && row === rowOf(path);
}

const rowOf = (path: string): LanguageRow | undefined => {
  const name = posix.basename(path.replaceAll('\\', '/')).toLowerCase();
  const dot = name.lastIndexOf('.');
  return (dot > 0 ? ROW_BY_EXTENSION.get(name.slice(dot + 1)) : undefined) ?? ROW_BY_NAME.get(name);
};

/** Returns the language of a file by its name, or undefined if there is no grammar. */
export const languageOf = (path: string): Language | undefined => rowOf(path)?.language;

/** Returns the word for a file's language on a code fence, or an empty text if there is none. */
export const fenceLanguageOf = (path: string): string => rowOf(path)?.fence ?? '';

/** Returns whether a file contains code, by its name. */
export function isCode(path: string): boolean {
  const row = rowOf(path);
  return row !== undefined && !row.isText;
}

/** Returns the name of a language's grammar. */
export const grammarNameOf = (language: Language): string =>
  ROW_BY_LANGUAGE.get(language)?.grammar ?? language;
