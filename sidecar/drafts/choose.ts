/**
 * Which draft is taken. Checks that fail on the base choose: the first draft that passes them all, else the
 * one that passes most, and only if that is more than the tree passes by itself. Checks that pass on the base
 * cannot choose: then drafts that make the same change vote, and one draft is no majority. Pure.
 */
import type { ChangedFile } from '../applying/index.ts';
import { changedLines, sameChangeKey } from '../task/changes.ts';
import { progressOf } from '../protocol/progress-of.ts';
import type { VerificationReport } from '../protocol/result.ts';
import { isUsable, passesAll, type Draft } from './draft.ts';

/**
 * `solved`: all checks pass that failed before. `voted`: the checks could not choose, most drafts make this change.
 * `start`: it passes more than the base. `none`: the tree is as it was.
 */
export interface Choice {
  kind: 'solved' | 'voted' | 'start' | 'none';
  files: ChangedFile[];
  /** For people: the cause that the answer names, and why this draft was taken. */
  output: string;
}

interface Vote {
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
function bestStart(drafts: readonly Draft[], base: VerificationReport | undefined): Draft | undefined {
  if (!base) return undefined;
  const least = progressOf(base);
  const better = drafts.filter((draft) => isUsable(draft) && progressOf(draft.report) > least);
  return better.sort(byProgress)[0];
}

/** The change that most drafts make, where at least two make it and no other change has as many drafts. */
function mostVoted(drafts: readonly Draft[]): Vote | undefined {
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

export const NO_CHOICE: Choice = { kind: 'none', files: [], output: '' };

/** The choice among drafts. `drafts`: in the order in which they were tried. */
export function choose(drafts: readonly Draft[], base: VerificationReport | undefined): Choice {
  if (!base || passesAll(base)) return chooseByVote(drafts, base);
  const solved = drafts.find(({ report }) => passesAll(report));
  if (solved) {
    const { number, leftOut } = solved;
    const lost = leftOut ? ` A part of the answer was not put in: ${leftOut}.` : '';
    return chosen('solved', solved, `Draft ${number} of ${drafts.length} passes the checks.${lost}`);
  }
  const none = `None of ${drafts.length} drafts passes the checks.`;
  const start = bestStart(drafts, base);
  return start ? chosen('start', start, none) : noneOf(drafts, none);
}

function chooseByVote(drafts: readonly Draft[], base: VerificationReport | undefined): Choice {
  const harmless = drafts.filter((draft) => isUsable(draft) && (!base || passesAll(draft.report)));
  const vote = mostVoted(harmless);
  const why = base ? 'The checks passed already' : 'There are no checks';
  return vote
    ? chosen('voted', vote.draft, `${why}; ${vote.voices} of ${drafts.length} drafts make this change.`)
    : noneOf(drafts, `${why}; no two of ${drafts.length} drafts agree.`);
}

/** With the cause that the likeliest answer names: another attempt is to look for another one. */
const noneOf = ([first]: readonly Draft[], why: string): Choice => ({
  ...NO_CHOICE,
  output: [first?.reason, why].filter(Boolean).join('\n\n'),
});

const chosen = (kind: Choice['kind'], draft: Draft, why: string): Choice => ({
  kind,
  files: [...draft.files],
  output: [draft.reason, why].filter(Boolean).join('\n\n'),
});
