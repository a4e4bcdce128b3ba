/**
 * Changes of one sign or word: a limit that belongs to the range or not, `and` for `or`, `floor` for `ceil`. Many mistakes are
 * no more than that, and a check costs a fraction of what an answer costs. Which lines may be wrong is a guess, so the checks
 * decide. Pure.
 */
import type { PlacedFile } from '../../placing/index.ts';
import { withLines } from './line-draft.ts';
import type { SourceText, SuspectLine } from './suspects.ts';

/** What a sign may become, likeliest first. Groups of the pattern: what stands before it, and the sign. */
interface Rule {
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

const RULES: readonly Rule[] = [
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
export interface SignChange {
  at: SuspectLine;
  file: PlacedFile;
}

/**
 * The likeliest signs of all lines first, and of one kind the likeliest lines first. Each file is made when it is asked for:
 * there may be thousands of them.
 */
export function* signChanges(
  lines: readonly SuspectLine[],
  files: readonly SourceText[],
): Generator<SignChange, void> {
  const textOf = new Map(files.map(({ path, text }) => [path, text]));
  for (const rule of RULES) {
    for (const at of lines) {
      const before = textOf.get(at.path);
      if (before === undefined) continue;
      for (const changed of changesOf(at.text, rule)) {
        const after = withLines(before, at.line, [changed]);
        yield { at, file: { path: at.path, before, after } };
      }
    }
  }
}

/** The line with another sign in one place. */
function changesOf(line: string, { pattern, others }: Rule): string[] {
  const code = line.replaceAll(NO_CODE, (text) => ' '.repeat(text.length));
  return [...code.matchAll(pattern)].flatMap(({ index, 1: before = '', 2: sign = '' }) => {
    const at = index + before.length;
    return others(sign).map((other) => line.slice(0, at) + other + line.slice(at + sign.length));
  });
}
