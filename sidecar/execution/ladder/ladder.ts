/**
 * The agentic way, cheapest step first: drafts, which need no tools, then the loop from the best tree that they left. A
 * question is first put without tools, too.
 * A step is skipped where it cannot help, and each ends the task when the checks pass. Where drafts pass a part of the
 * checks, drafts are drawn again from that tree: where there are two mistakes, a brief of it speaks of the second one
 * alone. One ledger, one timeline, one result.
 */
import type { VerificationReport } from '../../protocol/result.ts';
import { agentLoop, type AgentLoopOptions } from '../agent-loop/agent-loop.ts';
import type { LoopChecks } from '../agent-loop/quick-checks.ts';
import { changeableBy } from '../checking/changeable.ts';
import { taskMessage } from '../agent-loop/first-message.ts';
import { putIn, runDrafts, type DraftsOutcome } from '../drafts/draft-stage.ts';
import { isChoiceWritten, type Choice } from '../drafts/kept-choice.ts';
import type { SolvingProfile } from '../../model/catalog-schema.ts';
import { hasCheckTree } from '../checking/check-tree.ts';
import { draftQuestion } from '../drafts/question.ts';
import type { TaskModels } from '../models/task-models.ts';
import type { Ending } from '../task/ending.ts';
import { stoppedEnding } from '../task/stopped-ending.ts';
import { runPart } from '../task/run-part.ts';
import { askedBefore, type TaskRun } from '../task/task-run.ts';
import type { WaitingWay, WayOfSolving } from '../way-of-solving.ts';
import { directAnswer } from './direct-answer.ts';
import { GroundSurvey, type Ground } from './ground.ts';
import { loopChecks } from './loop-checks.ts';
import { keptLoopStart } from './loop-start.ts';
import { solvingFor } from './solving-for.ts';

/** Drafts are drawn so often at most, each time from a better tree. */
const MAX_SERIES = 3;

export function ladder(run: TaskRun): WaitingWay {
  const survey = new GroundSurvey(run);
  let steps: Ladder | undefined;
  return {
    begin: (model) => {
      if (isBriefed(run)) survey.begin(model);
    },
    open: (models) => {
      const solving = solvingFor(run, models.own.entry);
      const opened = new Ladder(run, models, solving, survey);
      steps = opened;
      // Where drafts are all that is wanted nothing corrects them.
      return solving.strategy === 'drafts' ? { run: () => opened.run(), base: () => opened.base() } : opened;
    },
    close: async () => {
      await survey.close();
      await steps?.close();
    },
  };
}

class Ladder implements WayOfSolving {
  readonly #whole: TaskRun;
  readonly #models: TaskModels;
  readonly #solving: SolvingProfile;
  readonly #untouched: GroundSurvey;
  /** The part of the task that goes on from the tree as it is, and what is known of that tree. */
  #run: TaskRun;
  #survey: GroundSurvey;
  #loop: ReturnType<typeof agentLoop> | undefined;
  #otherwise: Choice | undefined;
  #loopStart: string | undefined;

  constructor(run: TaskRun, models: TaskModels, solving: SolvingProfile, survey: GroundSurvey) {
    this.#whole = run;
    this.#run = run;
    this.#models = models;
    this.#solving = solving;
    this.#untouched = survey;
    this.#survey = survey;
  }

  async run(): Promise<Ending> {
    const answered = await this.#answer();
    if (answered && (answered.reason !== 'final_answer' || !this.#isUnheard())) return answered;
    const drafted = await this.#draftRepeatedly();
    const doubt = drafted?.choice.doubt;
    if (drafted?.ending) return { ...drafted.ending, ...(doubt && { doubt }) };
    // A stop that came while the ground was surveyed leaves nothing to draft from.
    if (!drafted && this.#solving.strategy === 'drafts' && this.#run.control.stopReason !== undefined) {
      return stoppedEnding(this.#run);
    }
    const { kind, output } = drafted?.choice ?? { kind: 'none', output: NOT_DRAFTED };
    const isDone = kind === 'solved' || kind === 'voted';
    const isAlone = this.#solving.strategy === 'drafts';
    if (isDone && (isAlone || !this.#isUnheard()))
      return { reason: 'final_answer', output, ...(doubt && { doubt }) };
    // All answers that it may have are used up.
    if (isAlone) return { reason: 'max_iterations', detail: output, output, ...(doubt && { doubt }) };
    this.#otherwise = drafted?.choice.otherwise;
    if (this.#otherwise?.doubt !== undefined) this.#loopStart = await keptLoopStart(this.#run);
    const start = kind === 'none' ? undefined : START_NOTE;
    return this.#orDraft(await this.#loopFrom(start, { isAgain: drafted !== undefined && !start }).run());
  }

  async correct(message: string, number: number): Promise<Ending> {
    if (this.#loop) return this.#orDraft(await this.#loop.correct(message, number));
    // Another name than that of a loop which followed the drafts: a resumed task must not take one for the other.
    return this.#loopFrom(message, { name: 'mend' }).run();
  }

  /**
   * The ending of the loop; with the draft that is left where the loop changed nothing, or where nothing shows that its
   * change is better.
   */
  async #orDraft(ending: Ending): Promise<Ending> {
    const draft = this.#otherwise;
    const { output = '', reason } = ending;
    if (!draft || reason === 'cancelled' || reason === 'shutdown') return ending;
    const changed = await this.#run.workspace.base.changedPaths();
    if (!changed.ok) return ending;
    if (changed.value.length > 0 && !(await this.#givesWay(ending, draft))) return ending;
    if (!(await putIn(this.#run, draft))) return ending;
    const both = [output, draft.output].filter(Boolean).join('\n\n');
    return { ...ending, output: both, doubt: draft.doubt };
  }

  /**
   * Whether the loop's change is taken back for the draft: no check can tell which one is right, the loop does not stand for its
   * own, and the draft is the model's likeliest answer. What a person said is in the loop's alone.
   */
  async #givesWay({ reason, doubt }: Ending, draft: Choice): Promise<boolean> {
    const isSure = reason === 'final_answer' && doubt === undefined;
    if (draft.doubt === undefined || isSure || this.#run.control.heard.length > 0) return false;
    if (isChoiceWritten(this.#run.journal)) return true;
    return this.#loopStart !== undefined && (await this.#run.workspace.restore(this.#loopStart)).ok;
  }

  async base(): Promise<VerificationReport | undefined> {
    return (await this.#untouched.known)?.base;
  }

  /** Ends what is still found out about the tree. Never rejects. */
  close(): Promise<void> {
    return this.#survey.close();
  }

  /** The answer to a question that the brief answers; undefined for any other task. */
  async #answer(): Promise<Ending | undefined> {
    const run = this.#run;
    const model = this.#models.own;
    const { directAnswers, strategy } = this.#solving;
    if (!run.limits.readOnly || !directAnswers || strategy === 'loop' || !isBriefed(run)) return undefined;
    const { brief } = await this.#surveyed();
    if (brief.isEmpty) return undefined;
    return directAnswer(run, model, async () => [brief.text, await this.#taskAfterBrief()].join('\n\n'));
  }

  /** Drafts, and others from the tree of the best one, as long as each series leaves a better one. */
  async #draftRepeatedly(): Promise<DraftsOutcome | undefined> {
    let best: DraftsOutcome | undefined;
    for (let series = 1; series <= MAX_SERIES; series += 1) {
      const drafted = await this.#draft(series);
      if (drafted?.choice.kind !== 'start') return best ? this.#goneOn(best, drafted) : drafted;
      best = drafted;
      if (drafted.ending) break;
      await this.#survey.close();
      this.#run = runPart(this.#whole, `again-${series}`);
      this.#survey = new GroundSurvey(this.#run, 'the tree of the best draft');
    }
    return best;
  }

  /** What drafts from the tree of the `best` earlier one came to; undefined where there were none. */
  #goneOn(best: DraftsOutcome, drafted: DraftsOutcome | undefined): DraftsOutcome {
    if (drafted) return drafted.choice.kind === 'none' ? { ...drafted, choice: best.choice } : drafted;
    return this.#run.control.stopReason === undefined ? best : { ...best, ending: stoppedEnding(this.#run) };
  }

  async #draft(series: number): Promise<DraftsOutcome | undefined> {
    const run = this.#run;
    const model = this.#models.own;
    const solving = this.#solving;
    if (solving.strategy === 'loop' || solving.drafts === 0 || run.limits.readOnly) return undefined;
    if (!hasCheckTree(run) || !isBriefed(run)) return undefined;
    const { brief, base } = await this.#surveyed();
    if (brief.isEmpty) return undefined;
    return runDrafts({
      run,
      model,
      solving,
      base,
      mayGoOn: series < MAX_SERIES,
      isFirst: series === 1,
      askedBefore: series === 1 ? askedBefore(run, model.name) : 0,
      question: async () => draftQuestion(brief.text, await this.#taskAfterBrief()),
      shownTokens: brief.tokens,
      shown: brief.files.filter(({ shown }) => shown !== 'named').map(({ path }) => path),
      mayChange: changeableBy(run.task),
    });
  }

  /** The task for a question without tools, whose brief stands before it. */
  #taskAfterBrief(): Promise<string> {
    return taskMessage(this.#run, this.#models.own, { hasBrief: true, isBare: true });
  }

  #surveyed(): Promise<Ground> {
    return this.#survey.of(this.#models.own);
  }

  /** The checks as the loop runs them, in copies of the tree; undefined where nothing is known of the untouched one. */
  async #checks(): Promise<LoopChecks | undefined> {
    const run = this.#run;
    if (!isBriefed(run)) return undefined;
    const { base } = await this.#surveyed();
    return loopChecks(run, base);
  }

  /** Whether a person said something that no stage has taken yet; the loop may have taken it in an earlier life. */
  #isUnheard(): boolean {
    const { control, journal } = this.#run;
    return control.isSteered || (journal?.read('run').length ?? 0) > 0;
  }

  /** The loop, with the brief in its first message and `note` at its end. */
  #loopFrom(
    note: string | undefined,
    options: Pick<AgentLoopOptions, 'name' | 'isAgain'>,
  ): ReturnType<typeof agentLoop> {
    const run = this.#run;
    const model = this.#models.own;
    this.#loop = agentLoop(run, this.#models, {
      ...options,
      tools: this.#solving.tools,
      turnsBefore: run.totals.iterations,
      firstMessage: async (needsTools) => {
        const brief = isBriefed(run) ? (await this.#surveyed()).brief : undefined;
        const shown = (brief?.files ?? [])
          .filter((file) => file.shown !== 'named')
          .map((file) => ({ path: file.path, isWhole: file.shown === 'whole' }));
        const hasBrief = brief !== undefined;
        const message = await taskMessage(run, model, { hasBrief, isBare: !needsTools(shown) });
        return { text: [brief?.text, message, note].filter(Boolean).join('\n\n'), shown };
      },
      checks: () => this.#checks(),
    });
    return this.#loop;
  }
}

/** Without a brief the model finds out by itself what it needs. */
const isBriefed = ({ config }: TaskRun): boolean => config.brief.seconds > 0;

const NOT_DRAFTED =
  'No drafts were made: the task is to change nothing, or no file of the repository bears on it.';
const START_NOTE = 'A first change is in the files already. Read what it did before you go on.';
