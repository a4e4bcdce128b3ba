/** Finds the names in a task's text: files, and identifiers of code. Pure, bounded. */
import { criterionTextOf } from '../../base/protocol/task.ts';
import { fenceLanguage } from '../../parsing/definitions/languages.ts';
import type { BriefTask } from './types.ts';

const MAX_TEXT_CHARS = 40_000;
const MAX_IDENTIFIERS = 40;
const MAX_PATHS = 60;
const MAX_PLAIN = 60;
const MIN_PLAIN_CHARS = 4;

export interface TaskWords {
  /** As written: `src/a.js`, `a.js`, `src/a`. Hints first. */
  paths: string[];
  /** In order of first mention. */
  identifiers: string[];
  /** Other words, which users may use as names: "the slugify helper". */
  plain: string[];
}

export function taskWords({
  description,
  file_hints: hints = [],
  success_criteria: criteria = [],
}: BriefTask): TaskWords {
  const text = [description, ...criteria.map((criterion) => criterionTextOf(criterion))]
    .join('\n')
    .slice(0, MAX_TEXT_CHARS);
  const hinted = hints.map((hint) => (typeof hint === 'string' ? hint : hint.path));
  const paths = new Set([...hinted, ...mentionedPaths(text)].map(cleanPath).filter(Boolean));
  const identifiers = identifiersIn(text, paths).slice(0, MAX_IDENTIFIERS);
  return { paths: [...paths].slice(0, MAX_PATHS), identifiers, plain: plainWords(text, identifiers) };
}

const cleanPath = (path: string): string =>
  path
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/|\/)+/, '')
    .replace(/:\d+(?::\d+)?$/, '')
    .replace(/[/.]+$/, '');

function mentionedPaths(text: string): string[] {
  const withEnding =
    text.match(/[\w@+.-]{1,120}(?:\/[\w@+.-]{1,120}){0,20}\.[A-Za-z]\w{0,9}(?![\w/])/g) ?? [];
  const withSlash = text.match(/[\w@+.-]{1,120}(?:\/[\w@+.-]{1,120}){1,20}/g) ?? [];
  const upperCase = text.match(/\b(?:Makefile|Dockerfile|LICENSE|README)\b/g) ?? [];
  return [...withEnding, ...withSlash, ...upperCase].filter(
    (path) => !/^(?:e\.g|i\.e)\b|^\d+\.\d+$/.test(path),
  );
}

/** Common words that are not taken as identifiers, even in quotes or code spans. */
const COMMON = new Set(
  'the and for not with from this that null true false none undefined self return returns string number boolean object array list dict test tests error value name file files use should when then else import export function class const let var def func type int str float bool void nan async await new'.split(
    ' ',
  ),
);

function identifiersIn(text: string, paths: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  const add = (word: string | undefined) => {
    if (word && word.length >= 3 && word.length <= 80 && !COMMON.has(word.toLowerCase())) found.add(word);
  };
  const spans = [
    ...text.matchAll(/`([^`\n]{1,200})`/g),
    ...text.matchAll(/["'“‘]([A-Za-z_$][\w$.]{1,80})["'”’]/g),
  ];
  for (const [, span = ''] of spans) {
    // A path in a code span counts as a path.
    if (!paths.has(cleanPath(span))) for (const word of span.match(/[A-Za-z_$][\w$]*/g) ?? []) add(word);
  }
  // `Basket.total` reads like the name of a file.
  for (const path of paths) {
    const [, owner, member] = /^([A-Za-z_$][\w$]*)\.([A-Za-z_$][\w$]*)$/.exec(path) ?? [];
    if (member !== undefined && fenceLanguage(path) === '') [owner, member].forEach(add);
  }
  // A name before a bracket is a call; with a space between, only if the name looks like code.
  for (const [, word = '', space] of text.matchAll(/(?<![\w$.])([A-Za-z_$][\w$]{1,79})(\s?)\(/g)) {
    if (space === '' || /[a-z0-9][A-Z]|_/.test(word)) add(word);
  }
  for (const [word] of text.matchAll(/[A-Za-z_$][\w$]{2,79}/g))
    if (/[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]/.test(word)) add(word);
  return [...found];
}

function plainWords(text: string, identifiers: readonly string[]): string[] {
  const known = new Set(identifiers);
  const words = text.match(/(?<![\w$])[A-Za-z][a-z]+(?![\w$])/g) ?? [];
  const isMeant = (word: string): boolean =>
    word.length >= MIN_PLAIN_CHARS && !known.has(word) && !COMMON.has(word.toLowerCase());
  return [...new Set(words.filter(isMeant))].slice(0, MAX_PLAIN);
}
