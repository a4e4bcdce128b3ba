/** Which languages are read by grammar, and which file is in which of them. */
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

/** By the file's name; undefined for what no grammar reads. */
export function languageOf(path: string): Language | undefined {
  const name = posix.basename(path.replaceAll('\\', '/')).toLowerCase();
  const dot = name.lastIndexOf('.');
  return (dot > 0 ? BY_EXTENSION.get(name.slice(dot + 1)) : undefined) ?? BY_NAME.get(name);
}
