/** The table of languages: fences, endings of files, grammars and comments. */
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

interface Row {
  /** The word on a code fence, and others that models write there. */
  fence: string;
  words?: string;
  /** Endings of files, and whole names. */
  endings: string;
  names?: string;
  /** Missing for a language without a grammar here. */
  language?: Language;
  grammar?: string;
  /** Begins a comment of one line; default `//`. */
  comment?: '#';
  /** Text and data, in which nobody looks for code. */
  isText?: true;
}

/** C uses C++'s grammar, which includes it. */
const ROWS: readonly Row[] = [
  { fence: 'js', words: 'javascript', endings: 'js mjs cjs', language: 'javascript', grammar: 'javascript' },
  { fence: 'jsx', endings: 'jsx', language: 'javascript', grammar: 'javascript' },
  { fence: 'ts', words: 'typescript', endings: 'ts mts cts', language: 'typescript', grammar: 'typescript' },
  { fence: 'tsx', endings: 'tsx', language: 'tsx', grammar: 'tsx' },
  { fence: 'python', endings: 'py pyi pyw', language: 'python', grammar: 'python', comment: '#' },
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
    comment: '#',
  },
  { fence: 'php', endings: 'php phtml', language: 'php', grammar: 'php' },
  {
    fence: 'bash',
    words: 'shell',
    endings: 'sh bash zsh ksh',
    names: '.bashrc .profile',
    language: 'bash',
    grammar: 'bash',
    comment: '#',
  },
  { fence: 'kotlin', endings: 'kt' },
  { fence: 'swift', endings: 'swift' },
  { fence: 'scala', endings: 'scala' },
  { fence: 'elixir', endings: 'ex exs', comment: '#' },
  { fence: 'erlang', endings: 'erl' },
  { fence: 'lua', endings: 'lua' },
  { fence: 'perl', endings: 'pl', comment: '#' },
  { fence: 'r', endings: 'r', comment: '#' },
  { fence: 'dart', endings: 'dart' },
  { fence: 'vue', endings: 'vue' },
  { fence: 'svelte', endings: 'svelte' },
  { fence: 'sql', endings: 'sql' },
  { fence: 'json', endings: 'json', isText: true },
  { fence: 'yaml', endings: 'yaml yml', isText: true, comment: '#' },
  { fence: 'toml', endings: 'toml', isText: true, comment: '#' },
  { fence: 'ini', endings: 'ini cfg conf', isText: true, comment: '#' },
  { fence: 'markdown', endings: 'md markdown mdx', isText: true },
  { fence: 'html', endings: 'html', isText: true },
  { fence: 'css', endings: 'css', isText: true },
  { fence: 'scss', endings: 'scss', isText: true },
  { fence: 'xml', endings: 'xml', isText: true },
];

const rowsBy = (wordsOf: (row: Row) => string): ReadonlyMap<string, Row> =>
  new Map(
    ROWS.toReversed().flatMap((row) =>
      wordsOf(row)
        .split(' ')
        .filter(Boolean)
        .map((word) => [word, row]),
    ),
  );
const BY_ENDING = rowsBy(({ endings }) => endings);
const BY_NAME = rowsBy(({ names = '' }) => names);
const BY_WORD = rowsBy(({ fence, words = '', endings }) => `${fence} ${words} ${endings}`);
const BY_LANGUAGE = rowsBy(({ language = '' }) => language);

/** Languages whose files can contain each other's code, as far as a fence shows. */
const FAMILIES: readonly ReadonlySet<Language>[] = [
  new Set(['javascript', 'typescript', 'tsx']),
  new Set(['c', 'cpp']),
];

export const isScript = (language: Language): boolean => FAMILIES[0]?.has(language) ?? false;

/** Reports whether a fence's word fits the language; an unknown word fits any. */
export function isFenceOf(word: string, language: Language): boolean {
  const said = BY_WORD.get(word)?.language ?? language;
  return said === language || FAMILIES.some((family) => family.has(said) && family.has(language));
}

/** Reports whether a fence's word is that of a file of text or data. */
export function isTextFenceOf(word: string, path: string): boolean {
  const row = BY_WORD.get(word);
  return row?.isText === true && row === rowOf(path);
}

const rowOf = (path: string): Row | undefined => {
  const name = posix.basename(path.replaceAll('\\', '/')).toLowerCase();
  const dot = name.lastIndexOf('.');
  return (dot > 0 ? BY_ENDING.get(name.slice(dot + 1)) : undefined) ?? BY_NAME.get(name);
};

/** Returns the language by the file's name; undefined without a grammar. */
export const languageOf = (path: string): Language | undefined => rowOf(path)?.language;

/** Returns the name that a code fence gives the language of a file; empty if there is none. */
export const fenceLanguage = (path: string): string => rowOf(path)?.fence ?? '';

/** Reports whether a file holds code, by its name. */
export function isCode(path: string): boolean {
  const row = rowOf(path);
  return row !== undefined && !row.isText;
}

/** Returns the name of a language's grammar. */
export const grammarName = (language: Language): string => BY_LANGUAGE.get(language)?.grammar ?? language;

/** Returns what begins a comment of one line. */
export const commentStart = (language: Language): string => BY_LANGUAGE.get(language)?.comment ?? '//';
