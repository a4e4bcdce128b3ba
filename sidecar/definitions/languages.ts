/** Maps files and fences to the languages that have a grammar. */
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

const EXTENSIONS: Record<Language, readonly string[]> = {
  javascript: ['js', 'mjs', 'cjs', 'jsx'],
  typescript: ['ts', 'mts', 'cts'],
  tsx: ['tsx'],
  python: ['py', 'pyi', 'pyw'],
  go: ['go'],
  rust: ['rs'],
  java: ['java'],
  c: ['c', 'h'],
  cpp: ['cc', 'cpp', 'cxx', 'c++', 'hh', 'hpp', 'hxx', 'ipp', 'inl'],
  csharp: ['cs', 'csx'],
  ruby: ['rb', 'rake', 'gemspec'],
  php: ['php', 'phtml'],
  bash: ['sh', 'bash', 'zsh', 'ksh'],
};

const BY_EXTENSION = new Map<string, Language>();
for (const [language, extensions] of Object.entries(EXTENSIONS))
  for (const extension of extensions) BY_EXTENSION.set(extension, language as Language);

const BY_NAME: ReadonlyMap<string, Language> = new Map([
  ['rakefile', 'ruby'],
  ['gemfile', 'ruby'],
  ['.bashrc', 'bash'],
  ['.profile', 'bash'],
]);

/** Languages whose files can contain each other's code, as far as a fence shows. */
const FAMILIES: readonly ReadonlySet<Language>[] = [
  new Set(['javascript', 'typescript', 'tsx']),
  new Set(['c', 'cpp']),
];
const BY_WORD: ReadonlyMap<string, Language> = new Map([
  ['golang', 'go'],
  ['c#', 'csharp'],
  ['shell', 'bash'],
]);

export const isScript = (language: Language): boolean => FAMILIES[0]?.has(language) ?? false;

/** Whether a fence's word fits the language; an unknown word fits any. */
export function isFenceOf(word: string, language: Language): boolean {
  const named = Object.hasOwn(EXTENSIONS, word) ? (word as Language) : undefined;
  const said = named ?? BY_EXTENSION.get(word) ?? BY_WORD.get(word) ?? language;
  return said === language || FAMILIES.some((family) => family.has(said) && family.has(language));
}

/** Returns the language by the file's name; undefined without a grammar. */
export function languageOf(path: string): Language | undefined {
  const name = posix.basename(path.replaceAll('\\', '/')).toLowerCase();
  const dot = name.lastIndexOf('.');
  return (dot > 0 ? BY_EXTENSION.get(name.slice(dot + 1)) : undefined) ?? BY_NAME.get(name);
}
