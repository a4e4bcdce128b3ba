/**
 * In which forms the drafts of a task are asked for, and in which order: one by definition, then single functions, then line
 * by line, first the lines that may be wrong and then places where one may be missing, then those functions again, then short
 * diffs and definitions. Functions and lines are much cheaper than these, and solve other tasks. All share one question but
 * for its last paragraph, so that the server reads the brief once.
 */
import type { ChatReply } from '../../model/chat.ts';
import type { Sampling } from '../../model/model-session.ts';
import { codeStops, maxAnswerTokens, withClosedBlock } from '../../prompt/code-answer.ts';
import type { VerificationReport } from '../../protocol/result.ts';
import { Conversation } from '../asking/conversation.ts';
import { hasTried } from '../task/task-run.ts';
import { bestStart } from './choose.ts';
import { passesAll, type Draft } from './draft.ts';
import type { DraftsOptions } from './draft-stage.ts';
import { begunAnswer, LINE_STOPS, MAX_LINE_TOKENS, readLineDraft, type Spot } from './line-draft.ts';
import { begunFunction, FUNCTION_STOPS, maxFunctionTokens, wholeFunction } from './function-draft.ts';
import { asFunction, asMissingLine, asShortDiff } from './question.ts';
import { readDraft, shownTexts, textOf } from './read-draft.ts';
import { draftToMend, repairConversation } from './repair.ts';
import { suspectsIn, type SuspectFunction } from './suspects.ts';

/** A diff that is longer than this is not short. */
const MAX_DIFF_TOKENS = 400;
const MAX_DIFFED_FILES = 4;
/** Functions and lines are tried while their checks take no longer than this together, going by those of the untouched tree. */
const MAX_BRIEF_CHECKS_MS = 60_000;
/** As many of the likeliest functions are asked for anew. */
export const MAX_FUNCTIONS = 3;

/** Of the answers for each function so many come before the lines, which are cheaper still. */
const EARLY_ROUNDS = 2;

/** How one draft is asked for, and how its answer is read. */
export interface DraftForm {
  /** As people are told; by definition where nothing is said. */
  label?: string;
  conversation: Conversation;
  sampling: Pick<Sampling, 'maxTokens' | 'stop'>;
  /** As likely as can be, for the answer is to be the best one and not another one. */
  isLikeliest: boolean;
  /** So short that the next one is asked for while this one is checked. */
  isBrief: boolean;
  read: (reply: ChatReply) => Promise<Draft>;
}

/** A form that is asked for in a few words, by the number of the draft. */
type BriefForm = (number: number) => DraftForm;

export class DraftForms {
  readonly #options: DraftsOptions;
  readonly #question: Conversation;
  readonly #windowTokens: number;
  /** Files that short diffs and lines may change. */
  readonly #changeable: readonly string[];
  readonly #stops: readonly string[];
  #brief: Promise<BriefForm[]> | undefined;

  /** `question` asks for a draft by definition. */
  constructor(options: DraftsOptions, question: Conversation) {
    this.#options = options;
    this.#question = question;
    this.#windowTokens = options.model.session.windowTokens;
    this.#changeable = options.shown.filter((path) => options.mayChange(path)).slice(0, MAX_DIFFED_FILES);
    this.#stops = codeStops(options.shown.filter((path) => !options.mayChange(path)));
  }

  /** The form of a draft (from 1); undefined where there are no so many. `earlier`: what came of those before. */
  async at(number: number, earlier: readonly Draft[]): Promise<DraftForm | undefined> {
    const { drafts, diffsBetween, repairs } = this.#options.solving;
    const brief = number > 1 ? await this.#briefOnce() : [];
    const asked = brief[number - 2];
    if (asked) return asked(number);
    const index = number - brief.length;
    if (index > drafts) return undefined;
    // Lines from the tree of a draft that passes more come before other forms from this one.
    if (index > 1 && brief.length > 0 && (await this.#goesOnFrom(earlier))) return undefined;
    const mends = draftToMend(earlier, repairs);
    if (mends) return this.#repair(number, mends);
    const isDiff = this.#changeable.length > 0 && (index - 1) % (1 + diffsBetween) !== 0;
    return isDiff ? this.#shortDiff(number) : this.#byDefinition(number);
  }

  async #goesOnFrom(earlier: readonly Draft[]): Promise<boolean> {
    const { mayGoOn, base } = this.#options;
    return mayGoOn && bestStart(earlier, await base) !== undefined;
  }

  #byDefinition(number: number): DraftForm {
    return {
      conversation: this.#question,
      sampling: { maxTokens: this.#maxTokens(), stop: this.#stops },
      isLikeliest: number === 1 && !this.#hasTried(),
      isBrief: false,
      read: (reply) => readDraft(this.#options, number, withClosedBlock(reply)),
    };
  }

  #shortDiff(number: number): DraftForm {
    return {
      ...this.#byDefinition(number),
      label: 'a short diff',
      conversation: this.#otherwise(asShortDiff),
      sampling: { maxTokens: MAX_DIFF_TOKENS },
      isLikeliest: false,
    };
  }

  async #repair(number: number, mends: Draft): Promise<DraftForm> {
    return {
      label: `mends draft ${mends.number}`,
      conversation: repairConversation(this.#question, mends, await this.#options.base),
      sampling: { maxTokens: this.#maxTokens() },
      isLikeliest: true,
      isBrief: false,
      read: (reply) => readDraft({ ...this.#options, mends }, number, reply),
    };
  }

  #byFunction(number: number, at: SuspectFunction, isLikeliest: boolean): DraftForm {
    const conversation = this.#otherwise((question) => asFunction(question, at));
    conversation.add({ role: 'assistant', content: begunFunction(at) });
    const options = { ...this.#options, shown: [at.path] };
    return {
      label: `${at.name} of ${at.path}`,
      conversation,
      sampling: { maxTokens: maxFunctionTokens(at), stop: FUNCTION_STOPS },
      isLikeliest: isLikeliest && !this.#hasTried(),
      isBrief: true,
      read: (reply) => readDraft(options, number, wholeFunction(at, reply)),
    };
  }

  #byLine(number: number, at: Spot): DraftForm {
    const conversation = this.#otherwise(at.isMissing ? asMissingLine : asShortDiff);
    conversation.add({ role: 'assistant', content: begunAnswer(at) });
    return {
      label: `${at.isMissing ? 'missing before line' : 'line'} ${at.line} of ${at.path}`,
      conversation,
      sampling: { maxTokens: MAX_LINE_TOKENS, stop: LINE_STOPS },
      isLikeliest: !this.#hasTried(),
      isBrief: true,
      read: async (reply) => {
        const before = (await textOf(this.#options.run, at.path)) ?? '';
        return readLineDraft(number, at, { reply, before });
      },
    };
  }

  /** In an earlier attempt: the likeliest answer is known by then. */
  #hasTried(): boolean {
    return hasTried(this.#options.run, this.#options.model.name);
  }

  /** The question with another last paragraph. */
  #otherwise(asked: typeof asShortDiff): Conversation {
    const [system, question, ...said] = this.#question.messages;
    const text = asked(question?.content ?? '', this.#changeable);
    const conversation = Conversation.withSystem(system?.content ?? '', text);
    for (const message of said) conversation.add(message);
    return conversation;
  }

  #maxTokens(): number {
    return maxAnswerTokens(this.#windowTokens, this.#options.shownTokens);
  }

  #briefOnce(): Promise<BriefForm[]> {
    this.#brief ??= this.#findBrief();
    return this.#brief;
  }

  /** Where the checks cannot choose, only functions that the task names: others would be changes that nobody asked for. */
  async #findBrief(): Promise<BriefForm[]> {
    const { run, solving, base } = this.#options;
    if (solving.rewrites + solving.lines + solving.missingLines === 0) return [];
    const report = await base;
    const canChoose = report !== undefined && !passesAll(report);
    const question = this.#question.messages.at(1)?.content ?? '';
    const { code, tests } = await shownTexts(this.#options);
    const suspects = await suspectsIn({
      files: code.filter(({ path }) => this.#changeable.includes(path)),
      task: run.task.description,
      failures: canChoose ? failuresIn(report) : '',
      tests,
    });
    // What the model is not shown would be changed blindly.
    const isShown = ({ text }: { text: string }): boolean => question.includes(text.trim());
    const functions = suspects.functions
      .filter((one) => isShown(one) && (canChoose || one.isNamed))
      .slice(0, MAX_FUNCTIONS);
    const rounds = this.#rounds(functions);
    if (!canChoose) return rounds.slice(0, EARLY_ROUNDS).flat();
    const shownLines = suspects.lines.filter(isShown);
    const wrong: Spot[] = shownLines.slice(0, solving.lines);
    const missing = shownLines.filter(({ above }) => above.length > 0).slice(0, solving.missingLines);
    const spots = [...wrong, ...missing.map((line): Spot => ({ ...line, isMissing: true }))];
    const most = Math.floor(MAX_BRIEF_CHECKS_MS / Math.max(1, report.duration_ms));
    return [
      ...rounds.slice(0, EARLY_ROUNDS).flat(),
      ...spots.map(
        (spot): BriefForm =>
          (number) =>
            this.#byLine(number, spot),
      ),
      ...rounds.slice(EARLY_ROUNDS).flat(),
    ].slice(0, most);
  }

  /** An answer for each function, so often as is wanted: the likeliest ones, then others. */
  #rounds(functions: readonly SuspectFunction[]): BriefForm[][] {
    return Array.from({ length: this.#options.solving.rewrites }, (_, round) =>
      functions.map(
        (at): BriefForm =>
          (number) =>
            this.#byFunction(number, at, round === 0),
      ),
    );
  }
}

/** What the checks print of what fails. */
export const failuresIn = ({ checks }: VerificationReport): string =>
  checks
    .filter(({ status }) => status !== 'pass')
    .map(({ essence, output }) => essence?.text ?? output)
    .join('\n');
