/**
 * Draws drafts until one is enough. The first is asked for alone: its answer tells what reading the question costs. Where
 * that is little, several are then asked for at once, as many as the server has slots; where the checks are slow, the
 * next one is asked for while they run. What is no longer needed is cut off. Checks run one after the other, for those of
 * one repository may want the same port or file.
 */
import type { ChatReply } from '../../model/chat.ts';
import { areSlow } from '../checking/check-tree.ts';
import { beforeRepetition, codeSystem } from '../../prompt/code-answer.ts';
import { steerMessage } from '../../prompt/loop-messages.ts';
import { askAndRecord } from '../asking/ask.ts';
import { Conversation } from '../asking/conversation.ts';
import { seedOf } from '../asking/seed.ts';
import { UNLIMITED_TURNS, type Stage } from '../asking/stage.ts';
import { hearAll, keptMessage } from '../agent-loop/first-message.ts';
import { Checkpoint } from '../journal/checkpoint.ts';
import type { Ending } from '../task/ending.ts';
import { AnswerEnd } from './answer-end.ts';
import { isEnough } from './choose.ts';
import { NOT_NEEDED, type Draft } from './draft.ts';
import type { DraftsOptions } from './drafts-options.ts';
import { DraftForms, MAX_FUNCTIONS, type DraftForm } from './forms.ts';
import { Judging } from './judging.ts';
import { shownTexts, type ShownTexts } from './read-draft.ts';
import { SideBySide } from './side-by-side.ts';
import { SmallTrials } from './small-trials.ts';
import { tellDraft, verdictOf } from './tell-draft.ts';

/** The stage's name in the journal. */
const DRAFTS_STAGE = 'drafts';
/** The first answer is the likeliest one, the others are to differ. */
const FIRST_TEMPERATURE = 0;
const OTHER_TEMPERATURE = 0.8;

/** What was drawn. `ending`: the task had to stop before the drafts were enough. */
export interface Drawn {
  drafts: Draft[];
  ending?: Ending;
}

/** Rejects only for a failing disk, when nothing of it runs any more. */
export async function drawDrafts(options: DraftsOptions): Promise<Drawn> {
  const drawing = new Drawing(options, await openStage(options));
  return drawing.run();
}

/** Goes through the answers that the journal has, for their figures; in the order of their numbers. */
export async function reliveDrafts(options: DraftsOptions): Promise<Ending | undefined> {
  const stage = await openStage(options);
  for (let number = 1; number <= mostDrafts(options); number += 1) {
    if (!stage.checkpoint.hasAnswer(number)) continue;
    const asked = await askAndRecord(stage, number);
    if (!asked.ok) return asked.ending;
    options.run.observer?.roundEnded();
  }
  return undefined;
}

/** So many drafts at most; there may be fewer functions and lines to ask about. */
const mostDrafts = ({ solving }: DraftsOptions): number =>
  solving.drafts + solving.rewrites * MAX_FUNCTIONS + solving.lines + solving.missingLines;

async function openStage({ run, model, question }: DraftsOptions): Promise<Stage> {
  const checkpoint = new Checkpoint(run.journal, DRAFTS_STAGE);
  const { text, isNew } = await keptMessage(checkpoint, question);
  const conversation = Conversation.withSystem(codeSystem(model.entry.prompt), text);
  if (isNew) hearAll(conversation.messages, run.observer);
  const parts = { run, model, conversation, checkpoint };
  return { ...parts, purpose: 'agentic', turns: UNLIMITED_TURNS, endOf: beforeRepetition };
}

/** An answer whose change was not tried yet. */
interface Answered {
  number: number;
  form: DraftForm;
  reply: ChatReply;
  startedMs: number;
  told: ReturnType<typeof tellDraft>;
}

class Drawing {
  readonly #options: DraftsOptions;
  readonly #stage: Stage;
  readonly #drafts: Draft[] = [];
  readonly #sideBySide: SideBySide;
  /** Files that the question shows; read once. */
  readonly #shown: () => Promise<ShownTexts>;
  readonly #forms: DraftForms;
  readonly #judging: Judging;
  readonly #smallTrials: SmallTrials;
  /** Aborted when no further draft is needed. */
  readonly #over = new AbortController();
  #number = 0;
  #isAllAsked = false;
  #ending: Ending | undefined;
  /** Of the disk. */
  #failure: unknown;

  constructor(options: DraftsOptions, stage: Stage) {
    this.#options = options;
    this.#stage = stage;
    let texts: Promise<ShownTexts> | undefined;
    this.#shown = () => (texts ??= shownTexts(options));
    this.#forms = new DraftForms(options, stage.conversation, this.#shown);
    this.#judging = new Judging(options);
    this.#smallTrials = new SmallTrials(options, this.#judging);
    this.#sideBySide = new SideBySide(() => options.model.slots());
  }

  async run(): Promise<Drawn> {
    const lanes: Promise<void>[] = [];
    const open = (): void => {
      const wanted = this.#isOver() ? 0 : this.#wanted();
      while (lanes.length < wanted)
        lanes.push(this.#lane(lanes.length, open).catch((error) => this.#fail(error)));
    };
    open();
    const changing = this.#trySmallChanges().catch((error: unknown) => this.#fail(error));
    // Lanes open others as long as the server has room.
    for (const lane of lanes) await lane;
    await changing;
    this.#takeChanged();
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#ending && !this.#over.signal.aborted) await this.#trySlow();
    // What was drawn beside a call that failed may be enough.
    const isDone = this.#over.signal.aborted && this.#options.run.control.stopReason === undefined;
    return { drafts: this.#drafts, ...(this.#ending && !isDone && { ending: this.#ending }) };
  }

  async #trySmallChanges(): Promise<void> {
    await this.#smallTrials.run(
      () => this.#forms.suspects(),
      () => this.#over.signal.aborted,
    );
    if (this.#drafts.length > 0) this.#takeChanged();
  }

  #takeChanged(): void {
    const { passing } = this.#smallTrials;
    if (!passing || this.#over.signal.aborted) return;
    this.#keep(passing);
    this.#over.abort();
  }

  /** A small change among the drafts. */
  #keep(change: Draft): void {
    const { run, model } = this.#options;
    tellDraft(run.emit, { model: model.name, number: 0 })(change, 0);
    this.#drafts.push(change);
  }

  async #trySlow(): Promise<void> {
    for (const draft of await this.#judging.withMoreTime()) {
      this.#drafts[this.#drafts.findIndex(({ number }) => number === draft.number)] = draft;
      this.#options.run.emit({
        event_type: 'status',
        text: `Draft ${draft.number}, with more time: ${verdictOf(draft)}`,
      });
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#over.abort();
  }

  #isOver(): boolean {
    return this.#isAllAsked || this.#ending !== undefined || this.#over.signal.aborted;
  }

  /** A repair answers what the checks said of the draft before: such drafts come one by one. */
  #wanted(): number {
    return this.#options.solving.repairs > 0 ? 1 : this.#sideBySide.wanted;
  }

  /** One draft after the other, and their checks. */
  async #lane(index: number, openOthers: () => void): Promise<void> {
    const { solving, base } = this.#options;
    let judging: Promise<void> = Promise.resolve();
    while (!this.#isOver() && index < this.#wanted()) {
      const answered = await this.#ask();
      // At most one draft of a lane waits for its checks.
      await judging;
      if (!answered) break;
      judging = this.#judge(answered);
      judging.catch((error: unknown) => this.#fail(error));
      const isWaitedFor = solving.repairs > 0 || !(answered.form.isBrief || areSlow(await base));
      if (isWaitedFor) await judging;
      openOthers();
    }
    await judging;
  }

  /** The answer; undefined where the task has to stop, or another draft was enough meanwhile. */
  async #ask(): Promise<Answered | undefined> {
    const { run } = this.#options;
    const number = (this.#number += 1);
    const isNew = !this.#stage.checkpoint.hasAnswer(number);
    takeSteering(this.#stage, number);
    const form = await this.#forms.at(number, this.#drafts);
    this.#isAllAsked ||= form === undefined;
    if (!form || this.#isOver()) return undefined;
    const temperature = form.isLikeliest ? FIRST_TEMPERATURE : OTHER_TEMPERATURE;
    const sampling = { temperature, seed: seedOf(run, number), ...form.sampling };
    const startedMs = run.clock.monotonicMs();
    const asking = { of: mostDrafts(this.#options), temperature, label: form.label };
    const told = tellDraft(run.emit, { model: this.#options.model.name, number, asked: asking });
    const { conversation } = form;
    const { signal } = this.#over;
    const end = form.mayCopy ? await this.#endOf(number) : undefined;
    const stage = { ...this.#stage, conversation, sampling, signal, ...(end && { endOf: end.endOf }) };
    const asked = await askAndRecord(stage, number);
    end?.stop();
    if (!asked.ok) {
      told(
        notTried(number, signal.aborted ? NOT_NEEDED : asked.ending.reason),
        run.clock.monotonicMs() - startedMs,
      );
      if (!signal.aborted) this.#ending ??= asked.ending;
      return undefined;
    }
    const { reply } = asked.answer;
    if (isNew) this.#learn(reply, run.clock.monotonicMs() - startedMs);
    return { number, form, reply, startedMs, told };
  }

  async #endOf(number: number): Promise<AnswerEnd> {
    const { code, tests } = await this.#shown();
    const texts = { sources: code.map(({ text }) => text), kept: tests.map(({ text }) => text) };
    return new AnswerEnd(texts, (answer, isWanted) =>
      this.#judging
        .solvesSoFar(number, answer, () => isWanted() && !this.#over.signal.aborted)
        .catch((error: unknown) => {
          this.#fail(error);
          return false;
        }),
    );
  }

  #learn({ tokensIn, tokensOut, loadNs, promptEvalNs, evalNs }: ChatReply, tookMs: number): void {
    const rate = this.#options.run.prefillRates?.rateOf(this.#options.model.name);
    this.#sideBySide.learn({
      tookMs,
      workedMs: (loadNs + promptEvalNs + evalNs) / 1e6,
      readMs: rate === undefined ? promptEvalNs / 1e6 : (tokensIn / rate) * 1_000,
      writtenMs: evalNs / 1e6,
      writtenTokens: tokensOut,
    });
  }

  /** Tries the change when the drafts before it have been tried. */
  #judge(answered: Answered): Promise<void> {
    return this.#judging.inTurn(() => this.#judgeNow(answered));
  }

  async #judgeNow({ number, form, reply, startedMs, told }: Answered): Promise<void> {
    const { run } = this.#options;
    const end = (draft: Draft): void => told(draft, run.clock.monotonicMs() - startedMs);
    if (this.#over.signal.aborted) return end(notTried(number, NOT_NEEDED));
    const draft = await this.#judging.ofAnswer(await form.read(reply));
    this.#drafts.push(draft);
    end(draft);
    run.observer?.roundEnded();
    if (isEnough(this.#drafts, await this.#options.base)) this.#over.abort();
    else this.#takeChanged();
  }
}

const notTried = (number: number, why: string): Draft => ({
  number,
  files: [],
  reason: '',
  answer: '',
  rejected: why,
});

/** What a person said since the last draft is told with the next one. */
function takeSteering({ checkpoint, conversation, run }: Stage, number: number): void {
  for (const text of checkpoint.steering(number, () => run.control.takeSteering())) {
    conversation.add(steerMessage(text));
    if (!checkpoint.hasAnswer(number)) run.observer?.said('USER', text);
  }
}
