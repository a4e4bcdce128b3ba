/**
 * Where a change is no more than whether one limit belongs to a range (`<` for `<=`): the same change of another limit near it.
 * Both ends of a range are often wrong together, and often only one of them is. Checks that pass either way do not tell which. Pure.
 */
import type { PlacedFile } from '../../placing/index.ts';
import { codeOf } from './small-changes.ts';

/** The changed file with one more limit changed, and the line of that, from 1. */
interface OtherLimit {
  line: number;
  file: PlacedFile;
}

const SIGN = /(?<![-=<>!+])[<>](?![<>])/gu;
const NEAR_LINES = 8;
const MAX_OTHERS = 3;

/** At most three; none where the change is another one. */
export function otherLimits(files: readonly PlacedFile[]): OtherLimit[] {
  const [file, ...rest] = files;
  if (file?.before === undefined || rest.length > 0) return [];
  const before = file.before.split('\n');
  const after = file.after.split('\n');
  const changed = before.flatMap((line, index) => (line === after[index] ? [] : [index]));
  const [index] = changed;
  if (before.length !== after.length || index === undefined || changed.length > 1) return [];
  const limit = changedLimit(before[index] ?? '', after[index] ?? '');
  if (!limit) return [];
  const from = Math.max(0, index - NEAR_LINES);
  return after
    .slice(from, index + NEAR_LINES + 1)
    .flatMap((line, near) =>
      limitsIn(line)
        .filter((at) => isIncluded(line, at) === limit.wasIncluded)
        .filter((at) => from + near !== index || at !== limit.at)
        .map((at) => ({ line: from + near + 1, text: flipped(line, at) })),
    )
    .slice(0, MAX_OTHERS)
    .map(({ line, text }) => ({ line, file: { ...file, after: after.with(line - 1, text).join('\n') } }));
}

function changedLimit(before: string, after: string): { at: number; wasIncluded: boolean } | undefined {
  const at = limitsIn(before).find((place) => flipped(before, place) === after);
  return at === undefined ? undefined : { at, wasIncluded: isIncluded(before, at) };
}

const limitsIn = (line: string): number[] => [...codeOf(line).matchAll(SIGN)].map(({ index }) => index);

const isIncluded = (line: string, at: number): boolean => line[at + 1] === '=';

const flipped = (line: string, at: number): string =>
  line.slice(0, at + 1) + (isIncluded(line, at) ? line.slice(at + 2) : `=${line.slice(at + 1)}`);
