/**
 * What may be wrong, once the model has answered for the first time: the functions that its answer changes come first, and
 * their lines. Of such a function it is wrong more often in what it writes than in where. Pure.
 */
import type { PlacedFile } from '../../placing/index.ts';
import type { ShownSuspects } from './shown-suspects.ts';
import type { SuspectFunction } from './suspects.ts';

export function suspectsAfter(suspects: ShownSuspects, answered: readonly PlacedFile[]): ShownSuspects {
  const after = new Map(answered.map((file) => [file.path, file.after]));
  const isChanged = ({ path, text }: SuspectFunction): boolean => after.get(path)?.includes(text) === false;
  const places = suspects.functions.filter(isChanged).flatMap(({ path, text }) => {
    const whole = suspects.files.find((file) => file.path === path)?.text ?? '';
    const at = whole.indexOf(text);
    if (at === -1) return [];
    const from = linesOf(whole.slice(0, at));
    return [{ path, from, to: from + linesOf(text) - 1 }];
  });
  const isInChanged = ({ path, line }: { path: string; line: number }): boolean =>
    places.some((place) => place.path === path && line >= place.from && line <= place.to);
  return {
    ...suspects,
    functions: firstThose(suspects.functions, isChanged),
    lines: firstThose(suspects.lines, isInChanged),
  };
}

const linesOf = (text: string): number => text.split('\n').length;

const firstThose = <T>(all: readonly T[], isOne: (one: T) => boolean): T[] => [
  ...all.filter((one) => isOne(one)),
  ...all.filter((one) => !isOne(one)),
];
