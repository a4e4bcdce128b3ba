/**
 * Whether a change asks for a value of the tests, as in `if (text === '2d') return 172800000`. Such a change passes the
 * checks and solves nothing. Pure.
 */
import type { ChangedFile } from '../../applying/index.ts';

/** Texts that may hold values. */
export interface KnownTexts {
  /** Tests and what they print, as far as they are shown. */
  tests: string;
  /** A value that the task names may well be asked for. */
  task: string;
}

const COMPARISON = String.raw`(?:[=!]==?|\b(?:case|is|eq|equals)\b|-eq|-ne)`;
const COMPARED_BEFORE = new RegExp(String.raw`${COMPARISON}[\s(]*$`, 'u');
const COMPARED_AFTER = new RegExp(String.raw`^\s*${COMPARISON}`, 'u');
/** In front of the value: what is compared is a remainder or a sum, and the value stands for a rule. */
const CALCULATED = /[%*/+][\s(]*$/u;
/** In front of the value: a length or a size is compared. */
const COUNTED = /(?:\.(?:length|size)|\blen\([^()]*\))\s*[=!]==?[\s(]*$/u;
const NEAR_CHARS = 16;
/** A text of at least two characters, or a number of at least two digits. */
const VALUES = /"(?:[^"\\\n]|\\.){2,}"|'(?:[^'\\\n]|\\.){2,}'|\b\d[\d_.]*\d\b/gu;

/** The value as the change writes it; undefined where it asks for none. A value that a changed file held before is none. */
export function specialCaseOf(
  files: readonly ChangedFile[],
  { tests, task }: KnownTexts,
): string | undefined {
  const inTests = new Set([...tests.matchAll(VALUES)].map(([value]) => bare(value)));
  const before = files.map((file) => file.before ?? '');
  const known = [task, ...before];
  return files
    .flatMap((file) => addedLines(file))
    .flatMap((line) => comparedIn(line))
    .find((value) => inTests.has(bare(value)) && !known.some((text) => text.includes(bare(value))));
}

const comparedIn = (line: string): string[] =>
  [...line.matchAll(VALUES)].flatMap(({ index, 0: value }) => {
    const end = index + value.length;
    const before = line.slice(0, index);
    const near = before.slice(-NEAR_CHARS);
    const isCompared = COMPARED_BEFORE.test(near) || COMPARED_AFTER.test(line.slice(end, end + NEAR_CHARS));
    return isCompared && !CALCULATED.test(near) && !COUNTED.test(before) ? [value] : [];
  });

const bare = (value: string): string => value.replaceAll(/^["']|["']$|(?<=\d)_(?=\d)/gu, '');

function addedLines({ before, after }: ChangedFile): string[] {
  const old = new Set((before ?? '').split('\n').map((line) => line.trim()));
  return (after ?? '').split('\n').filter((line) => !old.has(line.trim()));
}
