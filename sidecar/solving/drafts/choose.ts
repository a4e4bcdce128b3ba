/**
 * Chooses a draft. If checks fail on the base, they choose the first draft that passes all of them, or else the draft that passes most and
 * more than the base. If all checks pass on the base, they cannot choose. Then the change that most drafts make is chosen, if at least two
 * make it. Pure.
 */
import type { ChangedFile } from '../../parsing/apply-edits/index.ts';
import { countChangedLines, computeChangeKey } from '../task/changes.ts';
import { measureProgress } from '../result/progress-of.ts';
import type { VerificationReport } from '../../base/protocol/result.ts';
import { isUsable, passesAll, type Draft } from './draft.ts';

/**
 * `solved`: all checks pass that failed before. `voted`: the checks could not choose, and most drafts make this change. `start`: the draft
 * passes more checks than the base. `none`: the tree is unchanged.
 */
export interface Choice {
  kind: 'solved' | 'voted' | 'start' | 'none';
  files: ChangedFile[];
  /** Text for users: the cause that the answer names, and the reason for the choice. */
  output: string;
}

interface Vote {
  draft: Draft;
  /** Number of drafts that make this change. */
  voteCount: number;
}

/**
 * Returns whether no further draft is needed: the last one solves the task; or, if checks cannot choose, two drafts agree, or one draft has
 * no code and thus asks for no change.
 */
export function hasEnoughDrafts(drafts: readonly Draft[], base: VerificationReport | undefined): boolean {
  if (base && !passesAll(base)) return passesAll(drafts.at(-1)?.report);
  if (drafts.some(({ answer }) => answer !== '' && !answer.includes('```'))) return true;
  return findMostVoted(drafts.filter(({ report }) => !base || passesAll(report))) !== undefined;
}

/** Returns the draft that the next stage should start from; undefined if none is better than the base. */
function findBestStart(drafts: readonly Draft[], base: VerificationReport | undefined): Draft | undefined {
  if (!base) return undefined;
  const least = measureProgress(base);
  const better = drafts.filter((draft) => isUsable(draft) && measureProgress(draft.report) > least);
  return better.sort(compareProgress)[0];
}

/** Returns the change that most drafts make, if at least two make it and no other change has as many drafts. */
function findMostVoted(drafts: readonly Draft[]): Vote | undefined {
  const groups = new Map<string, Draft[]>();
  for (const draft of drafts.filter(isUsable)) {
    const key = computeChangeKey(draft.files);
    groups.set(key, [...(groups.get(key) ?? []), draft]);
  }
  const votes = [...groups.values()].sort((a, b) => b.length - a.length);
  const [first, second] = votes;
  const [draft] = first ?? [];
  if (!first || !draft || first.length < 2 || second?.length === first.length) return undefined;
  return { draft, voteCount: first.length };
}

function compareProgress(a: Draft, b: Draft): number {
  return (
    measureProgress(b.report) - measureProgress(a.report) || sizeOf(a) - sizeOf(b) || a.number - b.number
  );
}

/** Returns the number of lines that a draft adds and removes. */
const sizeOf = ({ files }: Draft): number =>
  files.reduce((sum, { before, after }) => {
    const { additions, deletions } = countChangedLines(before ?? '', after ?? '');
    return sum + additions + deletions;
  }, 0);

export const NO_CHOICE: Choice = { kind: 'none', files: [], output: '' };

/** Chooses one of the drafts, which are in the order of their checks. */
export function chooseDraft(drafts: readonly Draft[], base: VerificationReport | undefined): Choice {
  if (!base || passesAll(base)) return chooseByVote(drafts, base);
  const solved = drafts.find(({ report }) => passesAll(report));
  if (solved) {
    const { number, omittedPart } = solved;
    const lost = omittedPart ? ` Part of the answer was not applied: ${omittedPart}.` : '';
    return toChoice('solved', solved, `Draft ${number} of ${drafts.length} passes the checks.${lost}`);
  }
  const none = `None of ${drafts.length} drafts passes the checks.`;
  const start = findBestStart(drafts, base);
  return start ? toChoice('start', start, none) : chooseNone(drafts, none);
}

function chooseByVote(drafts: readonly Draft[], base: VerificationReport | undefined): Choice {
  const harmless = drafts.filter((draft) => isUsable(draft) && (!base || passesAll(draft.report)));
  const vote = findMostVoted(harmless);
  const why = base ? 'The checks already passed before the task' : 'There are no checks';
  return vote
    ? toChoice('voted', vote.draft, `${why}; ${vote.voteCount} of ${drafts.length} drafts make this change.`)
    : chooseNone(drafts, `${why}; no two of ${drafts.length} drafts agree.`);
}

/**
 * Returns a choice without a draft. Its output names the cause of the likeliest answer, so that another attempt looks for another cause.
 */
const chooseNone = ([first]: readonly Draft[], why: string): Choice => ({
  ...NO_CHOICE,
  output: [first?.reason, why].filter(Boolean).join('\n\n'),
});

const toChoice = (kind: Choice['kind'], draft: Draft, why: string): Choice => ({
  kind,
  files: [...draft.files],
  output: [draft.reason, why].filter(Boolean).join('\n\n'),
});
