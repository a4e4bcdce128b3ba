/**
 * Which draft is taken. Checks that fail on the base choose: the first draft that passes them all, else the
 * one that passes most, and only if that is more than the tree passes by itself. Checks that pass on the base
 * cannot choose: then drafts that make the same change vote, and one voice is no majority. Pure.
 */
import { changedLines } from '../task/changed-lines.ts';
import { sameChangeKey } from '../task/same-change.ts';
import { progressOf } from '../protocol/progress-of.ts';
import type { VerificationReport } from '../protocol/result.ts';
import { isUsable, passesAll, type Draft } from './draft.ts';

export interface Vote {
  draft: Draft;
  /** How many drafts make this change. */
  voices: number;
}

/**
 * Whether no further draft is needed: the last one solves it or, where checks cannot choose, two agree or one has no code at
 * all: what no check asks to be changed was then no change that was wanted.
 */
export function isEnough(drafts: readonly Draft[], base: VerificationReport | undefined): boolean {
  if (base && !passesAll(base)) return passesAll(drafts.at(-1)?.report);
  if (drafts.some(({ answer }) => answer !== '' && !answer.includes('```'))) return true;
  return mostVoted(drafts.filter(({ report }) => !base || passesAll(report))) !== undefined;
}

/** The draft that the next stage should start from; undefined where none is better than the base. */
export function bestStart(drafts: readonly Draft[], base: VerificationReport | undefined): Draft | undefined {
  if (!base) return undefined;
  const least = progressOf(base);
  const better = drafts.filter((draft) => isUsable(draft) && progressOf(draft.report) > least);
  return better.sort(byProgress)[0];
}

/** The change that most drafts make, where at least two make it and no other has as many voices. */
export function mostVoted(drafts: readonly Draft[]): Vote | undefined {
  const groups = new Map<string, Draft[]>();
  for (const draft of drafts.filter(isUsable)) {
    const key = sameChangeKey(draft.files);
    groups.set(key, [...(groups.get(key) ?? []), draft]);
  }
  const votes = [...groups.values()].sort((a, b) => b.length - a.length);
  const [first, second] = votes;
  const [draft] = first ?? [];
  if (!first || !draft || first.length < 2 || second?.length === first.length) return undefined;
  return { draft, voices: first.length };
}

function byProgress(a: Draft, b: Draft): number {
  return progressOf(b.report) - progressOf(a.report) || sizeOf(a) - sizeOf(b) || a.number - b.number;
}

/** Lines that a draft adds and removes. */
const sizeOf = ({ files }: Draft): number =>
  files.reduce((sum, { before, after }) => {
    const { additions, deletions } = changedLines(before ?? '', after ?? '');
    return sum + additions + deletions;
  }, 0);
