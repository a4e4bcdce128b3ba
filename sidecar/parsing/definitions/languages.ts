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
  /** Word on a code fence, and other words that models write there. */
  fence: string;
  words?: string;
  /** File extensions, and complete file names. */
  endings: string;
  names?: string;
  /** Missing if the language has no grammar here. */
  language?: Language;
  grammar?: string;
  /** Set for text and data, which are not searched for code. */
  isText?: true;
}

/** C uses C++'s grammar, which covers it. */
const ROWS: readonly LanguageRow[] = [
  { fence: 'js', words: 'javascript', endings: 'js mjs cjs', language: 'javascript', grammar: 'javascript' },
  { fence: 'jsx', endings: 'jsx', language: 'javascript', grammar: 'javascript' },
  { fence: 'ts', words: 'typescript', endings: 'ts mts cts', language: 'typescript', grammar: 'typescript' },
  { fence: 'tsx', endings: 'tsx', language: 'tsx', grammar: 'tsx' },
  { fence: 'python', endings: 'py pyi pyw', language: 'python', grammar: 'python' },
  { fence: 'go', words: 'golang', endings: 'go', language: 'go', grammar: 'go' },
  { fence: 'rust', endings: 'rs', language: 'rust', grammar: 'rust' },
  { fence: 'java', endings: 'java', language: 'java', grammar: 'java' },
  { fence: 'c', endings: 'c h', language: 'c', grammar: 'cpp' },
  { fence: 'cpp', endings: 'cc cpp cxx c++ hh hpp hxx ipp inl', language: 'cpp', grammar: 'cpp' },
  { fence: 'csharp', words: 'c#', endings: 'cs csx', language: 'csharp', grammar: 'c-sharp' },
  {
    fence: 'ruby',
    endings: 'rb rake gemspec',
    names: 'rakefile gemfile',
    language: 'ruby',
    grammar: 'ruby',
  },
  { fence: 'php', endings: 'php phtml', language: 'php', grammar: 'php' },
  {
    fence: 'bash',
    words: 'shell',
    endings: 'sh bash zsh ksh',
    names: '.bashrc .profile',
    language: 'bash',
    grammar: 'bash',
  },
  { fence: 'kotlin', endings: 'kt' },
  { fence: 'swift', endings: 'swift' },
  { fence: 'scala', endings: 'scala' },
  { fence: 'elixir', endings: 'ex exs' },
  { fence: 'erlang', endings: 'erl' },
  { fence: 'lua', endings: 'lua' },
  { fence: 'perl', endings: 'pl' },
  { fence: 'r', endings: 'r' },
  { fence: 'dart', endings: 'dart' },
  { fence: 'vue', endings: 'vue' },
  { fence: 'svelte', endings: 'svelte' },
  { fence: 'sql', endings: 'sql' },
  { fence: 'json', endings: 'json', isText: true },
  { fence: 'yaml', endings: 'yaml yml', isText: true },
  { fence: 'toml', endings: 'toml', isText: true },
  { fence: 'ini', endings: 'ini cfg conf', isText: true },
  { fence: 'markdown', endings: 'md markdown mdx', isText: true },
  { fence: 'html', endings: 'html', isText: true },
  { fence: 'css', endings: 'css', isText: true },
  { fence: 'scss', endings: 'scss', isText: true },
  { fence: 'xml', endings: 'xml', isText: true },
];

const indexRows = (wordsOf: (row: LanguageRow) => string): ReadonlyMap<string, LanguageRow> =>
  new Map(
    ROWS.toReversed().flatMap((row) =>
      wordsOf(row)
        .split(' ')
        .filter(Boolean)
        .map((word) => [word, row]),
    ),
  );
const BY_ENDING = indexRows(({ endings }) => endings);
const BY_NAME = indexRows(({ names = '' }) => names);
const BY_WORD = indexRows(({ fence, words = '', endings }) => `${fence} ${words} ${endings}`);
const BY_LANGUAGE = indexRows(({ language = '' }) => language);

/** Languages that share code: a fence of one language is accepted for files of the others. */
const FAMILIES: readonly ReadonlySet<Language>[] = [
  new Set(['javascript', 'typescript', 'tsx']),
  new Set(['c', 'cpp']),
];

export const isScript = (language: Language): boolean => FAMILIES[0]?.has(language) ?? false;

/** Returns whether a fence's word fits the language. An unknown word fits any language. */
export function isFenceOf(word: string, language: Language): boolean {
  const wordLanguage = BY_WORD.get(word)?.language ?? language;
  return (
    wordLanguage === language || FAMILIES.some((family) => family.has(wordLanguage) && family.has(language))
  );
}

/** Returns whether a fence's word matches the kind of a text or data file. */
export function isTextFenceOf(word: string, path: string): boolean {
  const row = BY_WORD.get(word);
  return row?.isText === true && row === rowOf(path);
}

const rowOf = (path: string): LanguageRow | undefined => {
  const name = posix.basename(path.replaceAll('\\', '/')).toLowerCase();
  const dot = name.lastIndexOf('.');
  return (dot > 0 ? BY_ENDING.get(name.slice(dot + 1)) : undefined) ?? BY_NAME.get(name);
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
export const grammarNameOf = (language: Language): string => BY_LANGUAGE.get(language)?.grammar ?? language;
