/**
 * In which forms the drafts of a task are asked for, and in which order. The first is by definition; then the likeliest
 * functions and other answers by definition take turns with single lines, the cheapest; then places where a line may be
 * missing, what is left of the functions, and at last short diffs and definitions. Each form solves other tasks. All share one
 * question but for its last paragraph, so that the server reads the brief once.
 */
import type { ChatReply } from '../../model/chat.ts';
import type { Sampling } from '../../model/model-session.ts';
import { codeStops, maxAnswerTokens, withClosedBlock } from '../../prompt/code-answer.ts';
import { Conversation } from '../asking/conversation.ts';
import { hasTried } from '../task/task-run.ts';
import { bestStart } from './choose.ts';
import { passesAll, type Draft } from './draft.ts';
import type { DraftsOptions } from './drafts-options.ts';
import { begunAnswer, LINE_STOPS, MAX_LINE_TOKENS, readLineDraft } from './line-draft.ts';
import { FUNCTION_STOPS, rewritten, wholeFunction, written, type FunctionRequest } from './function-draft.ts';
import { newFunctions, type NewFunction } from './new-functions.ts';
import { asMissingLine, asShortDiff } from './question.ts';
import { readDraft, textOf, type ShownTexts } from './read-draft.ts';
import { renamingFor } from './renaming.ts';
import { draftToMend, repairConversation } from './repair.ts';
import { shownSuspects, type ShownSuspects } from './shown-suspects.ts';
import { suspectsAfter } from './suspects-after.ts';
import type { Spot } from './suspects.ts';

/** A diff that is longer than this is not short. */
const MAX_DIFF_TOKENS = 400;
const MAX_DIFFED_FILES = 4;
/** Functions and lines are tried while their checks take no longer than this together, going by those of the untouched tree. */
const MAX_BRIEF_CHECKS_MS = 60_000;
/** As many of the likeliest functions are asked for anew. */
export const MAX_FUNCTIONS = 3;
/** Lines between the first answers and the next ones. */
const FIRST_LINES = 10;
/**
 * Which function is asked for, by its rank, or an answer by definition: before the first lines, after them, and after all
 * lines. Each function is asked for once before one is asked for again: where a small model writes a function right, it
 * mostly does so at once. After the first answer another one by definition costs more than three for a function.
 */
const TURNS = {
  first: [1, 2, 3],
  /** Where the task wants a function that is not there, which a small model writes best. */
  new: [1, 1, 'definition', 1, 2],
  second: [1, 2, 'definition', 1, 3, 'definition'],
  last: ['definition', 1, 2, 3, 'definition', 1, 2],
} as const satisfies Record<string, Turns>;
/** So many more drafts are tried after one that passes more than the tree does, until drafts begin from its tree. */
const PATIENCE = 4;
/** Where the checks cannot choose: as many answers for each function that the task names. */
const ROUNDS_FOR_VOTES = 2;

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
  /** Whether the answer may go on to copy what stays, and be ended there. */
  mayCopy: boolean;
  read: (reply: ChatReply) => Promise<Draft>;
}

type Turns = readonly (number | 'definition')[];

/** A form by the number of the draft. */
type Form = (number: number) => DraftForm;

export class DraftForms {
  readonly #options: DraftsOptions;
  readonly #question: Conversation;
  readonly #shown: () => Promise<ShownTexts>;
  readonly #windowTokens: number;
  /** Files that short diffs and lines may change. */
  readonly #changeable: readonly string[];
  readonly #stops: readonly string[];
  readonly #definition: Form = (number) => this.#byDefinition(number);
  /** What is asked for after the first draft, before short diffs. */
  #early: Promise<Form[]> | undefined;
  #suspects: Promise<ShownSuspects> | undefined;

  /** `question` asks for a draft by definition; `shown`: the files in it. */
  constructor(options: DraftsOptions, question: Conversation, shown: () => Promise<ShownTexts>) {
    this.#options = options;
    this.#question = question;
    this.#shown = shown;
    this.#windowTokens = options.model.session.windowTokens;
    this.#changeable = options.shown.filter((path) => options.mayChange(path)).slice(0, MAX_DIFFED_FILES);
    this.#stops = codeStops(options.shown.filter((path) => !options.mayChange(path)));
  }

  /** The form of a draft (from 1); undefined where there are no so many. `earlier`: what came of those before. */
  async at(number: number, earlier: readonly Draft[]): Promise<DraftForm | undefined> {
    const { drafts, diffsBetween, repairs } = this.#options.solving;
    const early = number === 1 && this.#beginsWhole ? [] : await this.#earlyOnce(earlier);
    const asked = early[this.#beginsWhole ? number - 2 : number - 1];
    if (early.length > 0 && (await this.#goesOnFrom(earlier, { atOnce: !asked }))) return undefined;
    if (asked) return asked(number);
    // Of all that are no functions and no lines.
    const index = number - early.filter((form) => form !== this.#definition).length;
    if (index > drafts) return undefined;
    const mends = draftToMend(earlier, repairs);
    if (mends) return this.#repair(number, mends);
    const isDiff = this.#changeable.length > 0 && (index - 1) % (1 + diffsBetween) !== 0;
    return isDiff ? this.#shortDiff(number) : this.#byDefinition(number);
  }

  /** What may be the wrong part of the files that drafts may change; found once. */
  suspects(): Promise<ShownSuspects> {
    this.#suspects ??= this.#findSuspects();
    return this.#suspects;
  }

  async #findSuspects(): Promise<ShownSuspects> {
    const question = this.#question.messages.at(1)?.content ?? '';
    return shownSuspects(this.#options, await this.#shown(), { changeable: this.#changeable, question });
  }

  /** Whether the tree of a draft that passes more is where to go on; not `atOnce` while others from this tree may solve it. */
  async #goesOnFrom(earlier: readonly Draft[], { atOnce }: { atOnce: boolean }): Promise<boolean> {
    const { mayGoOn, base } = this.#options;
    const best = mayGoOn ? bestStart(earlier, await base) : undefined;
    return best !== undefined && (atOnce || earlier.indexOf(best) < earlier.length - PATIENCE);
  }

  #byDefinition(number: number): DraftForm {
    return {
      conversation: this.#question,
      sampling: { maxTokens: this.#maxTokens(), stop: this.#stops },
      isLikeliest: number === 1 && !this.#hasTried(),
      isBrief: false,
      mayCopy: true,
      read: async (reply) => {
        const draft = await readDraft(this.#options, number, withClosedBlock(reply));
        return number === 1 ? { ...draft, ...(await this.#renamed(draft)) } : draft;
      },
    };
  }

  async #renamed({ files }: Draft): Promise<Pick<Draft, 'otherwise'>> {
    const { run, mayChange } = this.#options;
    const { changes, isLeftBy } = await renamingFor(run, mayChange);
    if (changes.length === 0) return {};
    return { otherwise: { as: 'renamed', changes, comesFirst: await isLeftBy(files) } };
  }

  #shortDiff(number: number): DraftForm {
    return {
      ...this.#byDefinition(number),
      label: 'a short diff',
      conversation: this.#otherwise(asShortDiff),
      sampling: { maxTokens: MAX_DIFF_TOKENS },
      isLikeliest: false,
      mayCopy: false,
    };
  }

  async #repair(number: number, mends: Draft): Promise<DraftForm> {
    return {
      label: `mends draft ${mends.number}`,
      conversation: repairConversation(this.#question, mends, await this.#options.base),
      sampling: { maxTokens: this.#maxTokens() },
      isLikeliest: true,
      isBrief: false,
      mayCopy: false,
      read: (reply) => readDraft({ ...this.#options, mends }, number, reply),
    };
  }

  #byFunction(number: number, at: FunctionRequest, isLikeliest: boolean): DraftForm {
    const { asked, begun, maxTokens, isNew, name, path } = at;
    const conversation = this.#otherwise(asked);
    conversation.add({ role: 'assistant', content: begun });
    const options = isNew ? this.#options : { ...this.#options, shown: [path] };
    return {
      label: `${isNew ? 'new ' : ''}${name} of ${path}`,
      conversation,
      sampling: { maxTokens, stop: FUNCTION_STOPS },
      isLikeliest: isLikeliest && !this.#hasTried(),
      isBrief: true,
      mayCopy: false,
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
      mayCopy: false,
      read: async (reply) => {
        const before = (await textOf(this.#options.run, at.path)) ?? '';
        return readLineDraft(number, at, { reply, before });
      },
    };
  }

  /** Whether the first draft is by definition: that answer is the likeliest, and shows where to ask further. */
  get #beginsWhole(): boolean {
    return this.#options.isFirst && this.#options.askedBefore === 0;
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

  #earlyOnce(earlier: readonly Draft[]): Promise<Form[]> {
    this.#early ??= this.#findEarly(earlier);
    return this.#early;
  }

  /** Where the checks cannot choose, only functions that the task names: others would be changes that nobody asked for. */
  async #findEarly(earlier: readonly Draft[]): Promise<Form[]> {
    const { solving, base } = this.#options;
    if (solving.rewrites + solving.lines + solving.missingLines === 0) return [];
    const report = await base;
    const canChoose = report !== undefined && !passesAll(report);
    const suspects = suspectsAfter(await this.suspects(), earlier[0]?.files ?? []);
    const wanted = (await this.#newFunctions()).filter(({ isAll }) => canChoose || isAll);
    const functions = [...wanted.map(written), ...suspects.functions.map(rewritten)]
      .filter((one) => canChoose || one.isNamed)
      .slice(0, MAX_FUNCTIONS);
    const answers = this.#answersFor(functions);
    if (!canChoose) return inRounds(answers);
    const wrong: Spot[] = suspects.lines.slice(0, solving.lines);
    const missing = suspects.lines.filter(({ above }) => above.length > 0).slice(0, solving.missingLines);
    const spots = [...wrong, ...missing.map((line): Spot => ({ ...line, isMissing: true }))];
    // An attempt whose time was over came no further than the first ones.
    const asked = (this.#options.askedBefore * FIRST_LINES) % Math.max(1, spots.length);
    const lines = [...spots.slice(asked), ...spots.slice(0, asked)].map(
      (spot): Form =>
        (number) =>
          this.#byLine(number, spot),
    );
    const most = Math.floor(MAX_BRIEF_CHECKS_MS / Math.max(1, report.duration_ms));
    return this.#inTurns(answers, lines, wanted.length > 0 ? TURNS.new : TURNS.first).slice(0, most);
  }

  /** In a later series they are there, or not what is missing. */
  async #newFunctions(): Promise<NewFunction[]> {
    const { run, mayChange, isFirst } = this.#options;
    if (!isFirst) return [];
    const { code, tests } = await this.#shown();
    return newFunctions(run.task.description, [...code, ...tests], mayChange);
  }

  /** For each function, likeliest first, the answers that are asked of it: the likeliest one, then others. */
  #answersFor(functions: readonly FunctionRequest[]): Form[][] {
    return functions.map((at) =>
      Array.from(
        { length: this.#options.solving.rewrites },
        (_, index): Form =>
          (number) =>
            this.#byFunction(number, at, index === 0),
      ),
    );
  }

  #inTurns(answers: Form[][], lines: readonly Form[], firstTurns: Turns): Form[] {
    const { drafts, repairs } = this.#options.solving;
    const hasFunctions = answers.flat().length > 0;
    // A repair follows the draft that it mends.
    let definitions = repairs > 0 || !hasFunctions ? 0 : drafts - 1;
    const turnsOf = (turns: Turns): Form[] =>
      turns.flatMap((turn) => {
        if (turn === 'definition') return (definitions -= 1) >= 0 ? this.#definition : [];
        return answers[turn - 1]?.shift() ?? [];
      });
    const first = this.#beginsWhole || hasFunctions ? turnsOf(firstTurns) : [this.#definition];
    return [
      ...first,
      ...lines.slice(0, FIRST_LINES),
      ...turnsOf(TURNS.second),
      ...lines.slice(FIRST_LINES),
      ...turnsOf(TURNS.last),
    ];
  }
}

/** One answer for each function, then the next one for each. */
const inRounds = (answers: readonly Form[][]): Form[] =>
  Array.from({ length: ROUNDS_FOR_VOTES }, (_, round) =>
    answers.flatMap((forms) => forms.slice(round, round + 1)),
  ).flat();
