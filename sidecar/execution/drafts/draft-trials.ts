/**
 * Drafts in trees of their own, and what the checks say of them there. The same change is checked once. Of a draft that
 * fails parts are tried too, and the lines of its answer beside the one that they were to replace, which cost a check and no answer: the mistake is often found, and something beside it spoiled.
 * So is a draft that passes more than the untouched tree together with the others: where there are two mistakes, what mends
 * the second one may help nothing by itself. And where a task needs two definitions changed, the answer for each of them
 * helps nothing alone: drafts of definitions are tried in pairs, and all of them together.
 */
import { createHash } from 'node:crypto';
import { newProblems } from '../../definitions/index.ts';
import { progressOf } from '../../protocol/progress-of.ts';
import type { VerificationReport } from '../../protocol/result.ts';
import { sameChangeKey, type PlacedFile } from '../../placing/index.ts';
import { areSlow, checkTree, trialTimeMs } from '../checking/check-tree.ts';
import type { TaskRun } from '../task/task-run.ts';
import { sizeOf } from './choose.ts';
import { passesAll, type Draft } from './draft.ts';
import { inFork, writeFiles } from './draft-tree.ts';
import { besideReplaced, lossesOf, withLosses, type Loss } from './lost-lines.ts';
import { partsOf, together, withOtherFiles } from './parts.ts';
import type { SmallChange } from './small-changes.ts';

/** So many drafts whose checks were stopped get all the time that checks may have, after all others. */
const MAX_SLOW = 2;
/** All that is tried without an answer of its own may take so long. */
const MAX_MORE_MS = 60_000;
const MAX_MORE = 120;
/** The same for one draft where the checks are slow: the model waits for them. */
const MAX_MORE_WHERE_SLOW = 2;
/** Drafts that others are put together with: the last ones that help, and the smallest changes of those that do not. */
const MAX_HELPFUL = 3;
const MAX_OTHERS = 24;
/** What is tried without an answer and makes the checks run for ever is soon given up: an answer has longer. */
const MIN_MORE_CHECK_MS = 3_000;
/** Drafts of definitions that another one is put together with, the last ones. */
const MAX_PAIRS = 6;

export class DraftTrials {
  readonly #run: TaskRun;
  readonly #stage: string;
  /** The draft that made a change first, by the change. */
  readonly #tried = new Map<string, { number: number; report: VerificationReport | undefined }>();
  /** Drafts that pass more than the untouched tree, the last ones first. */
  readonly #helpful: Draft[] = [];
  /** Drafts that pass no more than that. */
  readonly #others: Draft[] = [];
  /** Drafts whose checks were stopped early. */
  readonly #slow: Draft[] = [];
  /** Tried without an answer. */
  #more = 0;
  #moreMs = 0;
  /** Whether the task goes on. */
  readonly #isWanted = (): boolean => this.#run.control.stopReason === undefined;

  /** `stage` begins the names of its checks in the journal. */
  constructor(run: TaskRun, stage = 'draft-check') {
    this.#run = run;
    this.#stage = stage;
  }

  /** The draft with its report, or with why there is none; one that fails may come back as a part of itself. Rejects only for a failing disk. */
  async try(draft: Draft, base: VerificationReport): Promise<Draft> {
    if (draft.otherwise?.comesFirst) {
      const limits = { base, isInTime: this.#isWanted };
      const other = passesAll(base)
        ? await this.#asAsked(draft, draft.otherwise, base)
        : await this.#otherwise(draft, limits);
      if (passesAll(other.report)) return other;
    }
    const tried = draft.rejected === undefined ? await this.#tryWhole(draft, base) : draft;
    if (tried.sameAs === undefined && passesAll(tried.report) && !passesAll(base))
      return this.#withLostLines(tried, base);
    // Checks that pass without a change cannot tell a good part from a bad one.
    const isFinal =
      tried.sameAs !== undefined || isStopped(tried) || passesAll(tried.report) || passesAll(base);
    if (isFinal || (tried.rejected !== undefined && !tried.otherwise)) return tried;
    const startedMs = this.#run.clock.monotonicMs();
    const most = Math.min(MAX_MORE, this.#more + (areSlow(base) ? MAX_MORE_WHERE_SLOW : MAX_MORE));
    const isInTime = (): boolean =>
      this.#isWanted() &&
      this.#more < most &&
      this.#moreMs + this.#run.clock.monotonicMs() - startedMs < MAX_MORE_MS;
    const limits = { base, isInTime };
    const steps = [
      () => this.#otherwise(tried, limits),
      (best: Draft) => this.#withHelpful(best, limits),
      (best: Draft) => this.#best(best, partsOf(tried.files), { ...limits, altered: 'part' }),
      (best: Draft) => this.#withOldLines(best, tried, limits),
      (best: Draft) => this.#withOthers(best, tried, limits),
    ];
    let all = tried;
    for (const step of steps) all = passesAll(all.report) ? all : await step(all);
    if (progressOf(all.report) > progressOf(base)) this.#helpful.unshift(all);
    else if (tried.rejected === undefined) this.#others.push(tried);
    this.#moreMs += this.#run.clock.monotonicMs() - startedMs;
    return passesAll(all.report) ? this.#withLostLines(all, base) : all;
  }

  /** What an answer has said so far. Where that turns out to be all of it, it is not checked again. */
  trySoFar(draft: Draft, base: VerificationReport): Promise<Draft> {
    return this.#tryWhole(draft, base, `${this.#stage}-${keyOf(draft)}`);
  }

  /** A small change, by itself and with what helps; undefined where it was tried or does not parse. */
  async trySmallChange({ at, file }: SmallChange, base: VerificationReport): Promise<Draft | undefined> {
    const draft: Draft = { number: 0, at, files: [file], reason: '', answer: '', altered: 'small' };
    if (this.#tried.has(sameChangeKey(draft.files)) || !(await parses(draft.files))) return undefined;
    const alone = await this.#checkMore(draft, base);
    const limits = { base, isInTime: this.#isWanted };
    const best = passesAll(alone.report) ? alone : await this.#withHelpful(alone, limits);
    // What passes is taken, or doubted: then it helps no other.
    if (!passesAll(best.report) && progressOf(best.report) > progressOf(base)) this.#helpful.unshift(best);
    return { ...best, altered: 'small' };
  }

  /** Whether these files pass all checks. */
  async passes(files: readonly PlacedFile[], base: VerificationReport): Promise<boolean> {
    if (!this.#isWanted() || !(await parses(files))) return false;
    const change = { number: 0, files, reason: '', answer: '' };
    const { report } = this.#tried.get(sameChangeKey(files)) ?? (await this.#checkMore(change, base));
    return passesAll(report);
  }

  /** What the program does as the task says it, where checks that passed before say no more than that nothing breaks. */
  async #asAsked(
    draft: Draft,
    { as: altered, changes }: NonNullable<Draft['otherwise']>,
    base: VerificationReport,
  ): Promise<Draft> {
    const { rejected: _rejected, ...rest } = withoutAnswer(draft);
    for (const files of changes) {
      if (!this.#isWanted()) break;
      if (!(await parses(files))) continue;
      const tried = await this.#checkMore({ ...rest, files, altered }, base);
      if (passesAll(tried.report)) return tried;
    }
    return draft;
  }

  async #otherwise(draft: Draft, limits: Limits): Promise<Draft> {
    if (!draft.otherwise) return draft;
    const { as: altered, changes } = draft.otherwise;
    const start = altered === 'renamed' ? withoutAnswer(draft) : draft;
    const best = await this.#best(start, changes, { ...limits, altered });
    return best === start ? draft : best;
  }

  /** A draft that passes the checks, with as much of what it took away as they pass with. */
  async #withLostLines(draft: Draft, base: VerificationReport): Promise<Draft> {
    let best = draft;
    let kept: Loss[] = [];
    for (const loss of lossesOf(draft.files, this.#run.task.description)) {
      const files = withLosses(draft.files, [...kept, loss]);
      if (!this.#isWanted() || !(await parses(files))) continue;
      const other: Draft = { ...draft, files, altered: 'whole' };
      const tried = await this.#checkMore(other, base);
      if (!passesAll(tried.report)) continue;
      best = tried;
      kept = [...kept, loss];
    }
    return best;
  }

  async #tryWhole(
    draft: Draft,
    base: VerificationReport,
    stage = `${this.#stage}-${draft.number}`,
  ): Promise<Draft> {
    const earlier = this.#tried.get(sameChangeKey(draft.files));
    if (earlier?.report) {
      const { number, report } = earlier;
      return { ...draft, report, ...(number !== draft.number && { sameAs: number }) };
    }
    const tried = await this.#check(draft, stage, trialTimeMs(base));
    if (isStopped(tried)) this.#slow.push(tried);
    return tried;
  }

  /** The drafts whose checks were stopped, with all the time that checks may have. */
  async trySlow(): Promise<Draft[]> {
    const tried: Draft[] = [];
    for (const draft of this.#slow.slice(0, MAX_SLOW)) {
      if (!this.#isWanted()) break;
      const slow = await this.#check(draft, `${this.#stage}-${draft.number}-slow`);
      tried.push(slow);
      if (passesAll(slow.report)) break;
    }
    return tried;
  }

  /** A whole definition with the lines that it took away: those that it put nothing in place of, and those that it replaced. */
  async #withOldLines(draft: Draft, { at, files }: Draft, limits: Limits): Promise<Draft> {
    if (at !== undefined) return draft;
    const losses = lossesOf(files, this.#run.task.description);
    const choices = losses.length > 1 ? [losses, ...losses.map((loss) => [loss])] : [losses];
    const restored = choices.filter((chosen) => chosen.length > 0).map((chosen) => withLosses(files, chosen));
    return this.#best(draft, [...restored, ...besideReplaced(files)], { ...limits, altered: 'whole' });
  }

  /** On top of what helps, where that passes more than what helps does. */
  async #withHelpful(draft: Draft, limits: Limits): Promise<Draft> {
    const helpful = this.#helpful.slice(0, MAX_HELPFUL);
    const best = await this.#best(draft, withEach(draft, helpful), { ...limits, altered: 'together' });
    return helpful.some(({ report }) => progressOf(report) >= progressOf(best.report)) ? draft : best;
  }

  /** With what did not help by itself: what helps, and a whole definition as it was answered. */
  async #withOthers(draft: Draft, answered: Draft, limits: Limits): Promise<Draft> {
    const helps = progressOf(draft.report) > progressOf(limits.base);
    const isOfLine = answered.at !== undefined || answered.rejected !== undefined;
    if (!helps && isOfLine) return draft;
    const changes = helps
      ? withEach(draft, this.#others.toSorted((a, b) => sizeOf(a) - sizeOf(b)).slice(0, MAX_OTHERS))
      : withDefinitions(answered, this.#others);
    return this.#best(draft, changes, { ...limits, altered: 'together' });
  }

  /** The draft, or the first of other changes that passes all checks, or else the one that passes most. */
  async #best(
    draft: Draft,
    changes: readonly PlacedFile[][],
    { base, isInTime, altered }: Limits & Required<Pick<Draft, 'altered'>>,
  ): Promise<Draft> {
    let best = draft;
    const { rejected: _rejected, ...rest } = draft;
    for (const files of changes) {
      if (!isInTime()) break;
      const other: Draft = { ...rest, files, altered };
      if (this.#tried.has(sameChangeKey(other.files)) || !(await parses(files))) continue;
      this.#more += 1;
      const tried = await this.#checkMore(other, base);
      if (progressOf(tried.report) > Math.max(progressOf(best.report), progressOf(base))) best = tried;
      if (passesAll(tried.report)) break;
    }
    return best;
  }

  /** A change that has no answer of its own; its checks are known in the journal by what it changes. */
  #checkMore(draft: Draft, base: VerificationReport): Promise<Draft> {
    return this.#check(draft, `${this.#stage}-${keyOf(draft)}`, trialTimeMs(base, MIN_MORE_CHECK_MS));
  }

  /** `atMostMs`: less than the task's own limit. */
  async #check(draft: Draft, stage: string, atMostMs = Infinity): Promise<Draft> {
    const checked = await inFork(this.#run, async (fork) => {
      const written = await writeFiles(fork, draft.files);
      if (!written.ok) return written.failure.message;
      return checkTree(fork, stage, { atMostMs });
    });
    if (!checked.ok) return { ...draft, rejected: checked.failure.message };
    if (typeof checked.value === 'string') return { ...draft, rejected: checked.value };
    this.#tried.set(sameChangeKey(draft.files), { number: draft.number, report: checked.value });
    return { ...draft, ...(checked.value && { report: checked.value }) };
  }
}

/** For a change that is not the answer's. */
function withoutAnswer({ leftOut: _leftOut, ...draft }: Draft): Draft {
  return { ...draft, reason: 'The name was replaced in every file, as the task says it.' };
}

const isStopped = ({ report }: Draft): boolean => report?.status === 'timeout';

/** Both in one; where they touch the same words, each with what the other one does in other files. */
const withEach = ({ files }: Pick<Draft, 'files'>, others: readonly Draft[]): PlacedFile[][] =>
  others.flatMap((other) => {
    const both = together(other.files, files);
    const choices = both ? [both] : [withOtherFiles(other.files, files), withOtherFiles(files, other.files)];
    return choices.filter((choice) => choice !== undefined);
  });

/** With each of the last drafts of definitions, and with as many of them at once as touch other words. */
function withDefinitions({ files }: Pick<Draft, 'files'>, others: readonly Draft[]): PlacedFile[][] {
  const last = others.filter(({ at }) => at === undefined).slice(-MAX_PAIRS);
  const newestFirst = last.toReversed();
  const all = newestFirst.reduce((change, other) => together(other.files, change) ?? change, [...files]);
  return [...withEach({ files }, newestFirst), all];
}

/** By the change: in another life drafts may be tried in another order. */
const keyOf = (draft: Draft): string =>
  createHash('sha256').update(sameChangeKey(draft.files)).digest('hex').slice(0, 16);

interface Limits {
  base: VerificationReport;
  /** Whether something may still be tried without an answer. */
  isInTime: () => boolean;
}

async function parses(files: readonly PlacedFile[]): Promise<boolean> {
  for (const { path, before = '', after } of files) {
    if ((await newProblems(path, before, after)).length > 0) return false;
  }
  return true;
}
