/**
 * Small changes that the program makes by itself: what is often forgotten, another sign or word (a limit that belongs to the
 * range or not, `and` for `or`, `floor` for `ceil`), or another order of lines. Many mistakes are no more than that, and a check
 * costs a fraction of what an answer costs. Which lines may be wrong is a guess, so the checks decide. Pure.
 */
import { languageOf, type Language } from '../../definitions/index.ts';
import type { ChangedFile } from '../../applying/index.ts';
import { indentOf } from '../../tools/editing/folding.ts';
import { withLines } from './line-draft.ts';
import { ownDefaults } from './own-default.ts';
import type { SourceText, SuspectLine } from './suspects.ts';

/** What a sign may become, likeliest first. Groups of the pattern: what stands before it, and the sign. */
interface Rule {
  /** The language that it is for; all where nothing is said. */
  in?: Language;
  pattern: RegExp;
  others: (sign: string) => readonly string[];
}

const pairs = (...words: readonly (readonly string[])[]): Rule['others'] => {
  const others = new Map(
    words.flatMap((group) => group.map((word) => [word, group.filter((each) => each !== word)])),
  );
  return (sign) => others.get(sign) ?? [];
};

/** Methods that are taken for each other. */
const METHODS = [
  ['startsWith', 'endsWith'],
  ['startswith', 'endswith'],
  ['indexOf', 'lastIndexOf'],
  ['find', 'rfind'],
  ['shift', 'pop'],
  ['push', 'unshift'],
  ['append', 'extend'],
  ['trim', 'trimStart', 'trimEnd'],
  ['strip', 'lstrip', 'rstrip'],
  ['match', 'fullmatch', 'search'],
  ['getDay', 'getDate'],
  ['getUTCDay', 'getUTCDate'],
] as const;
const METHODS_PATTERN = new RegExp(String.raw`(\.)(${METHODS.flat().join('|')})(?=\()`, 'gu');

/** What is often forgotten: few places take it, so these come first. */
const FORGOTTEN: readonly Rule[] = [
  // The last part may hold the separator, too.
  { in: 'python', pattern: /(\.r?split\([^(),]+)()(?=\))/gu, others: () => [', 1'] },
  // `read` fails on a last line without its end, though it has read it.
  {
    in: 'bash',
    pattern: /(\bread\s(?:-\w+\s)*)(\w+(?:\s\w+)*)(?=\s*(?:;|$))/gu,
    others: (names) => [`${names} || [ -n "$${names.split(/\s/u)[0] ?? ''}" ]`],
  },
  // The last ones first, or by number.
  { in: 'bash', pattern: /(\bsort)()(?=\s*(?:[|)<>;]|$))/gu, others: () => [' -r', ' -n'] },
];

const LIKELY: readonly Rule[] = [
  { pattern: /([^<>=!\-+])([<>]=?)(?![<>=])/gu, others: pairs(['<', '<='], ['>', '>=']) },
  {
    pattern: /(\s)(-[lg][te]|-eq|-ne)(?=\s)/gu,
    others: pairs(['-lt', '-le'], ['-gt', '-ge'], ['-eq', '-ne']),
  },
  { pattern: /()(&&|\|\|)/gu, others: pairs(['&&', '||']) },
  { pattern: /(\s)(and|or)(?=\s)/gu, others: pairs(['and', 'or']) },
  { pattern: /([^=!<>])([=!]==?)(?!=)/gu, others: pairs(['==', '!='], ['===', '!==']) },
  { pattern: /([.\s(])(floor|ceil|round|trunc)(?=\()/gu, others: pairs(['ceil', 'floor', 'round', 'trunc']) },
  { pattern: /([.\s(=])(min|max)(?=\()/gu, others: pairs(['min', 'max']) },
  { pattern: /([.\s(])(some|every|any|all)(?=\()/gu, others: pairs(['some', 'every'], ['any', 'all']) },
  // What is missing, and what is only empty or zero.
  { pattern: /()(\|\|)/gu, others: () => ['??'] },
  // All places, and only the first one.
  { pattern: /(\.)(replace)(?=\()/gu, others: () => ['replaceAll'] },
  { pattern: /(\.replace\(\/(?:[^/\\\n]|\\.)+\/[imsuy]*)()(?=,)/gu, others: () => ['g'] },
  { pattern: METHODS_PATTERN, others: pairs(...METHODS) },
];
const OTHERS: readonly Rule[] = [
  { pattern: /(\b)(true|false|True|False)(?=\b)/gu, others: pairs(['true', 'false'], ['True', 'False']) },
  // One too many or too few.
  { pattern: /([\w)\]])(\s?[-+]\s?\d{1,3})(?![\w.])/gu, others: () => [''] },
  {
    pattern: /([-+<>=(,[:]\s?)(\d{1,3})(?![\w.])/gu,
    others: (sign) => [String(Number(sign) + 1), String(Number(sign) - 1)],
  },
  {
    pattern: /(^|[^\w.)\]]\s?)([\w.]+ - [\w.]+)(?![\w.([])/gu,
    others: (sign) => [sign.split(' - ').toReversed().join(' - ')],
  },
  { pattern: /([\w)\]]\s)([-+])(?=\s[\w(])/gu, others: pairs(['+', '-']) },
  { pattern: /()([-+]=)/gu, others: pairs(['+=', '-=']) },
  { pattern: /([^<>=!\-+])([<>])(?![<>=])/gu, others: pairs(['<', '>']) },
];
/** Strings and comments are no code. */
const NO_CODE = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|\/\/.*|(?<=\s|^)#.*/gu;

/** A file as it would be. */
export interface SmallChange {
  at: SuspectLine;
  file: ChangedFile;
}

/**
 * The likeliest changes of all lines first, and of one kind the likeliest lines first. Each file is made when it is asked for:
 * there may be thousands of them.
 */
export function* smallChanges(
  lines: readonly SuspectLine[],
  files: readonly SourceText[],
): Generator<SmallChange, void> {
  const textOf = new Map(files.map(({ path, text }) => [path, text]));
  for (const file of files) yield* ownDefaults(file);
  const signs =
    (rule: Rule): Kind =>
    (before, { path, line, text }) =>
      rule.in === undefined || rule.in === languageOf(path)
        ? changesOf(text, rule).map((changed) => withLines(before, line, [changed]))
        : [];
  const kinds: Kind[] = [...FORGOTTEN.map(signs), ...LIKELY.map(signs), moved, ...OTHERS.map(signs)];
  for (const kind of kinds) {
    for (const at of lines) {
      const before = textOf.get(at.path);
      if (before === undefined) continue;
      for (const after of kind(before, at)) yield { at, file: { path: at.path, before, after } };
    }
  }
}

/** The text with changes of one kind in one line. */
type Kind = (before: string, at: SuspectLine) => string[];

/** How far a line is moved up. */
const MAX_MOVE = 2;
/** Lines whose order means nothing, and those that others belong to. */
const STAYS =
  /^\s*(?:$|[)\]}#@*]|\/[/*]|(?:import|export|from|return|else|elif|case|break|continue|fi|done|end)\b)|[{([:,\\]\s*$/u;
const TERMINATOR = /;?\r?$/u;

/** With the line before one or two that stand above it. What ends a statement stays where it is. */
function moved(before: string, { line, text }: SuspectLine): string[] {
  const lines = before.split('\n');
  const index = line - 1;
  const movesOver = (other = ''): boolean => !STAYS.test(other) && indentOf(other) === indentOf(text);
  const texts: string[] = [];
  for (let above = 1; above <= MAX_MOVE && !STAYS.test(text) && movesOver(lines[index - above]); above += 1) {
    const run = lines.slice(index - above, line);
    const bodies = run.map((each) => each.replace(TERMINATOR, ''));
    const inOrder = [bodies.at(-1) ?? '', ...bodies.slice(0, -1)];
    const changed = inOrder.map((body, at) => body + (TERMINATOR.exec(run[at] ?? '')?.[0] ?? ''));
    texts.push(lines.toSpliced(index - above, run.length, ...changed).join('\n'));
  }
  return texts;
}

/** A line with spaces for its strings and comments. */
export const codeOf = (line: string): string => line.replaceAll(NO_CODE, (text) => ' '.repeat(text.length));

/** The line with another sign in one place. */
function changesOf(line: string, { pattern, others }: Rule): string[] {
  return [...codeOf(line).matchAll(pattern)].flatMap(({ index, 1: before = '', 2: sign = '' }) => {
    const at = index + before.length;
    return others(sign).map((other) => line.slice(0, at) + other + line.slice(at + sign.length));
  });
}
