/**
 * Requests drafts until one is enough, as many in parallel as the model server has slots. While slow checks run, the next draft is
 * requested. Requests that are no longer needed are aborted.
 */
import PQueue from 'p-queue';
import type { SolvingProfile } from '../../model/catalog-schema.ts';
import type { ChatReply } from '../../model/chat.ts';
import { dropRepetition, computeMaxAnswerTokens } from '../prompt/code-answer.ts';
import { buildSteerMessage } from '../prompt/loop-messages.ts';
import { describeTermination, type VerificationReport } from '../../base/protocol/result.ts';
import { ask } from '../model-calls/ask.ts';
import type { ReadyModel } from '../model-calls/models/task-models.ts';
import { seedOf } from '../model-calls/seed.ts';
import { takeUserMessages, type Stage } from '../model-calls/stage.ts';
import { areChecksSlow } from '../task/checking/run-task-checks.ts';
import type { Ending } from '../task/ending.ts';
import { hasTriedModel, type TaskRun } from '../task/task-run.ts';
import { hasEnoughDrafts } from './choose.ts';
import { NOT_NEEDED_REASON, type Draft } from './draft.ts';
import { DraftVerifier } from './draft-verifier.ts';
import { TIMEOUT_DONE_REASON, readDraft } from './read-draft.ts';
import { findDraftToRepair, buildRepairConversation } from './question.ts';
import { emitDraft } from './draft-events.ts';

/** Temperature of the first answer and of repairs, which are to be the model's likeliest answers. */
const LIKELIEST_TEMPERATURE = 0;
/** Temperature of further answers, which are to differ. */
const OTHER_TEMPERATURE = 0.8;

export interface DraftsOptions {
  run: TaskRun;
  model: ReadyModel;
  solving: Pick<SolvingProfile, 'strategy' | 'drafts' | 'repairs' | 'form'>;
  question: string;
  /** Number of tokens in the code that the question shows. It limits the length of an answer. */
  shownTokens: number;
  /** Paths that the question shows, most relevant first. */
  shownPaths: readonly string[];
  /** Report of the checks on the base; undefined without checks. Slow checks are awaited together with the first answer. */
  base: Promise<VerificationReport | undefined>;
  /** Returns whether a path may be changed. Tests and scripts of the checks may not. */
  mayChange: (path: string) => boolean;
}

/** The drafts of a task. `ending`: set if the task had to stop before there were enough drafts. */
export interface SampledDrafts {
  drafts: Draft[];
  ending?: Ending;
}

/** An answer whose change has not been checked yet. */
interface AnsweredDraft {
  number: number;
  repairedDraft: Draft | undefined;
  reply: Pick<ChatReply, 'message' | 'doneReason'>;
  startedMs: number;
  emitEnd: ReturnType<typeof emitDraft>;
}

export class DraftSampler {
  readonly #options: DraftsOptions;
  readonly #stage: Stage;
  readonly #verifier: DraftVerifier;
  readonly #drafts: Draft[] = [];
  /** Aborted when no further draft is needed. */
  readonly #endController = new AbortController();
  /** Queue that verifies one draft at a time. */
  readonly #verificationQueue = new PQueue({ concurrency: 1 });
  #number = 0;
  #ending: Ending | undefined;

  /** `stage` contains the question that all drafts answer. */
  constructor(options: DraftsOptions, stage: Stage) {
    this.#options = options;
    this.#stage = { ...stage, extractAnswer: dropRepetition };
    this.#verifier = new DraftVerifier(options.run);
  }

  /** Requests and checks drafts until one is enough. Rejects only on a storage error, after all drafts have settled. */
  async run(): Promise<SampledDrafts> {
    const { run, solving, model } = this.#options;
    // A repair needs the checks of the previous draft, so these drafts are requested one by one.
    const atOnce = solving.repairs > 0 ? 1 : model.slots();
    const lanes = Array.from({ length: Math.min(atOnce, solving.drafts) }, () => this.#sampleInTurn());
    const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    // Other drafts may be enough although one call failed.
    const isDone = this.#endController.signal.aborted && run.control.stopReason === undefined;
    return { drafts: this.#drafts, ...(this.#ending && !isDone && { ending: this.#ending }) };
  }

  #isOver(): boolean {
    const isAllAsked = this.#number >= this.#options.solving.drafts;
    return isAllAsked || this.#ending !== undefined || this.#endController.signal.aborted;
  }

  /** Draws and checks one draft after the other. */
  async #sampleInTurn(): Promise<void> {
    const { solving, base } = this.#options;
    let verified: Promise<void> = Promise.resolve();
    try {
      while (!this.#isOver()) {
        const answered = await this.#ask();
        // Each parallel request has at most one draft that waits for its checks.
        await verified;
        if (!answered) return;
        verified = this.#verificationQueue.add(() => this.#verifyDraft(answered));
        // The checks are awaited below in any case.
        verified.catch(() => undefined);
        if (solving.repairs > 0 || !areChecksSlow(await base)) await verified;
      }
      await verified;
    } catch (error) {
      this.#endController.abort();
      await Promise.allSettled([verified]);
      throw error;
    }
  }

  /** Requests an answer. Returns undefined if the task must stop, or if another draft was enough in the meantime. */
  async #ask(): Promise<AnsweredDraft | undefined> {
    const { run, solving, model, base, shownTokens } = this.#options;
    const number = (this.#number += 1);
    for (const text of takeUserMessages(this.#stage, number)) {
      this.#stage.conversation.add(buildSteerMessage(text));
      run.observer?.recordMessage('USER', text);
    }
    const mends = findDraftToRepair(this.#drafts, solving.repairs);
    const isLikeliest = mends !== undefined || (number === 1 && !hasTriedModel(run, model.name));
    const temperature = isLikeliest ? LIKELIEST_TEMPERATURE : OTHER_TEMPERATURE;
    const { windowTokens } = model.session;
    const sampling = {
      temperature,
      seed: seedOf(run, number),
      maxTokens: computeMaxAnswerTokens(windowTokens, { form: solving.form, shownTokens }),
    };
    const conversation = mends
      ? buildRepairConversation(this.#stage.conversation, mends, await base)
      : this.#stage.conversation;
    const startedMs = run.clock.monotonicMs();
    const label = mends && `repairs draft ${mends.number}`;
    const emitEnd = emitDraft(run.emit, {
      model: model.name,
      number,
      total: solving.drafts,
      temperature,
      label,
    });
    const { signal } = this.#endController;
    const asked = await ask({ ...this.#stage, conversation, sampling, signal }, number);
    if (asked.ok) return { number, repairedDraft: mends, reply: asked.reply, startedMs, emitEnd };
    const { ending, begun, isUnneeded = signal.aborted } = asked;
    if (!isUnneeded) this.#ending ??= ending;
    if (isUnneeded || ending.reason !== 'timeout' || !begun) {
      const why = isUnneeded ? NOT_NEEDED_REASON : describeTermination(ending.reason);
      emitEnd(toUntriedDraft(number, why), run.clock.monotonicMs() - startedMs);
      return undefined;
    }
    // The part that arrived may be enough, since the checks also run after the time limit.
    const message = { role: 'assistant', content: begun };
    return {
      number,
      repairedDraft: mends,
      reply: { message, doneReason: TIMEOUT_DONE_REASON },
      startedMs,
      emitEnd,
    };
  }

  async #verifyDraft({ number, repairedDraft, reply, startedMs, emitEnd }: AnsweredDraft): Promise<void> {
    const { run } = this.#options;
    const finishSampling = (draft: Draft): void => emitEnd(draft, run.clock.monotonicMs() - startedMs);
    if (this.#endController.signal.aborted) return finishSampling(toUntriedDraft(number, NOT_NEEDED_REASON));
    const read = await readDraft({ ...this.#options, repairedDraft }, number, reply);
    const base = await this.#options.base;
    const draft = base ? await this.#verifier.try(read, base) : read;
    this.#drafts.push(draft);
    finishSampling(draft);
    run.observer?.recordRoundEnd();
    if (hasEnoughDrafts(this.#drafts, base)) this.#endController.abort();
  }
}

const toUntriedDraft = (number: number, why: string): Draft => ({
  number,
  files: [],
  reason: '',
  answer: '',
  rejectionReason: why,
});
