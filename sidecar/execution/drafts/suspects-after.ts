/**
 * What may be wrong, once the model has answered for the first time: the functions that its answer changes come first, and
 * their lines. Of such a function it is wrong more often in what it writes than in where. Pure.
 */
import type { ChangedFile } from '../../applying/index.ts';
import type { ShownSuspects } from './shown-suspects.ts';

export function suspectsAfter(suspects: ShownSuspects, answered: readonly ChangedFile[]): ShownSuspects {
  const after = new Map(answered.map((file) => [file.path, file.after]));
  const changed = suspects.functions.filter(({ path, text }) => after.get(path)?.includes(text) === false);
  const isInChanged = ({ path, line }: { path: string; line: number }): boolean =>
    changed.some((one) => one.path === path && line >= one.from && line <= one.to);
  return {
    ...suspects,
    functions: firstThose(suspects.functions, (one) => changed.includes(one)),
    lines: firstThose(suspects.lines, isInChanged),
  };
}

const firstThose = <T>(all: readonly T[], isOne: (one: T) => boolean): T[] => [
  ...all.filter((one) => isOne(one)),
  ...all.filter((one) => !isOne(one)),
];
