/** Finds names in a task's text: names of files, and identifiers of code. Pure; the number of names is limited. */
import { criterionTextOf } from '../../base/protocol/task.ts';
import { fenceLanguageOf } from '../../parsing/definitions/languages.ts';
import type { BriefTask } from './types.ts';

const MAX_TEXT_CHARS = 40_000;
const MAX_IDENTIFIERS = 40;
const MAX_PATHS = 60;
const MAX_PLAIN_WORDS = 60;
const MIN_PLAIN_CHARS = 4;

export interface TaskWords {
  /** Paths as the task writes them (`src/a.js`, `a.js`, `src/a`), hints first. */
  paths: string[];
  /** Identifiers in the order of their first mention. */
  identifiers: string[];
  /** Other words that users may mean as names, as in "the slugify helper". */
  plainWords: string[];
}

export function findTaskWords({
  description,
  file_hints: hints = [],
  success_criteria: criteria = [],
}: BriefTask): TaskWords {
  const text = [description, ...criteria.map((criterion) => criterionTextOf(criterion))]
    .join('\n')
    .slice(0, MAX_TEXT_CHARS);
  const hintedPaths = hints.map((hint) => (typeof hint === 'string' ? hint : hint.path));
  const paths = new Set([...hintedPaths, ...findMentionedPaths(text)].map(cleanPath).filter(Boolean));
  const identifiers = findIdentifiersInText(text, paths).slice(0, MAX_IDENTIFIERS);
  return {
    paths: [...paths].slice(0, MAX_PATHS),
    identifiers,
    plainWords: findPlainWords(text, identifiers),
  };
}

const cleanPath = (path: string): string =>
  path
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/|\/)+/, '')
    .replace(/:\d+(?::\d+)?$/, '')
    .replace(/[/.]+$/, '');

function findMentionedPaths(text: string): string[] {
  const withExtension =
    text.match(/[\w@+.-]{1,120}(?:\/[\w@+.-]{1,120}){0,20}\.[A-Za-z]\w{0,9}(?![\w/])/g) ?? [];
  const withSlash = text.match(/[\w@+.-]{1,120}(?:\/[\w@+.-]{1,120}){1,20}/g) ?? [];
  const upperCase = text.match(/\b(?:Makefile|Dockerfile|LICENSE|README)\b/g) ?? [];
  return [...withExtension, ...withSlash, ...upperCase].filter(
    (path) => !/^(?:e\.g|i\.e)\b|^\d+\.\d+$/.test(path),
  );
}

/** Common words that do not count as identifiers, even in quotes or code spans. */
const COMMON_WORDS = new Set(
  'the and for not with from this that null true false none undefined self return returns string number boolean object array list dict test tests error value name file files use should when then else import export function class const let var def func type int str float bool void nan async await new'.split(
    ' ',
  ),
);

function findIdentifiersInText(text: string, paths: ReadonlySet<string>): string[] {
  const identifiers = new Set<string>();
  const addIdentifier = (word: string | undefined) => {
    if (word && word.length >= 3 && word.length <= 80 && !COMMON_WORDS.has(word.toLowerCase()))
      identifiers.add(word);
  };
  const spans = [
    ...text.matchAll(/`([^`\n]{1,200})`/g),
    ...text.matchAll(/["'“‘]([A-Za-z_$][\w$.]{1,80})["'”’]/g),
  ];
  for (const [, span = ''] of spans) {
    // A path in a code span does not count as an identifier.
    if (!paths.has(cleanPath(span)))
      for (const word of span.match(/[A-Za-z_$][\w$]*/g) ?? []) addIdentifier(word);
  }
  // `Basket.total` looks like the name of a file, but names a member.
  for (const path of paths) {
    const [, owner, member] = /^([A-Za-z_$][\w$]*)\.([A-Za-z_$][\w$]*)$/.exec(path) ?? [];
    if (member !== undefined && fenceLanguageOf(path) === '') [owner, member].forEach(addIdentifier);
  }
  // A name before a parenthesis is a call. If there is a space in between, the name must look like code.
  for (const [, word = '', space] of text.matchAll(/(?<![\w$.])([A-Za-z_$][\w$]{1,79})(\s?)\(/g)) {
    if (space === '' || /[a-z0-9][A-Z]|_/.test(word)) addIdentifier(word);
  }
  for (const [word] of text.matchAll(/[A-Za-z_$][\w$]{2,79}/g))
    if (/[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]/.test(word)) addIdentifier(word);
  return [...identifiers];
}

function findPlainWords(text: string, identifiers: readonly string[]): string[] {
  const identifierSet = new Set(identifiers);
  const words = text.match(/(?<![\w$])[A-Za-z][a-z]+(?![\w$])/g) ?? [];
  const isCandidate = (word: string): boolean =>
    word.length >= MIN_PLAIN_CHARS && !identifierSet.has(word) && !COMMON_WORDS.has(word.toLowerCase());
  return [...new Set(words.filter(isCandidate))].slice(0, MAX_PLAIN_WORDS);
}
