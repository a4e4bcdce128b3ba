/**
 * The agentic way, cheapest step first. A question is first asked without tools. A change is first asked for as drafts. Then the loop
 * continues from the best tree of the drafts. A step that cannot help is skipped, and each step ends the task if the checks pass. All steps
 * share one ledger, one timeline and one result.
 */
import type { SolvingProfile } from '../../model/catalog-schema.ts';
import { AgentLoop, type AgentLoopOptions, LOOP_NAME } from '../loop/agent-loop.ts';
import { composeTaskMessage } from '../model-calls/first-message.ts';
import { hasWaitingMessage } from '../model-calls/stage.ts';
import { changeableBy } from '../task/checking/changeable.ts';
import { hasCheckTree } from '../task/checking/run-task-checks.ts';
import { runDrafts, type DraftsOutcome } from '../drafts/draft-stage.ts';
import { draftQuestion } from '../drafts/question.ts';
import type { ReadyModel } from '../model-calls/models/task-models.ts';
import { stoppedEnding, type Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import { directAnswer } from './direct-answer.ts';
import { solvingFor } from '../solve/wishes.ts';
import type { Survey, SurveyResult } from '../solve/survey.ts';
import type { Attempt, ModelWay, Way } from '../solve/way.ts';

export const agentic: ModelWay = {
  usesSurvey: true,
  open: (attempt) => {
    const solving = solvingFor(attempt.run, attempt.models.own.entry);
    const way = new Agentic(attempt, solving);
    // With the strategy `drafts`, no loop may correct the result.
    return solving.strategy === 'drafts' ? { run: () => way.run() } : way;
  },
};

class Agentic implements Way {
  readonly #run: TaskRun;
  readonly #model: ReadyModel;
  readonly #survey: Survey;
  readonly #solving: SolvingProfile;
  #loop: AgentLoop | undefined;

  constructor({ run, models, survey }: Attempt, solving: SolvingProfile) {
    this.#run = run;
    this.#model = models.own;
    this.#survey = survey;
    this.#solving = solving;
  }

  async run(): Promise<Ending> {
    const answered = await this.#answer();
    if (answered && (answered.reason !== 'final_answer' || !this.#hasWaitingText())) return answered;
    const drafted = await this.#draft();
    if (drafted?.ending) {
      const { choice, ending } = drafted;
      return choice.kind === 'none' ? ending : { ...ending, output: choice.output };
    }
    const isAlone = this.#solving.strategy === 'drafts';
    // If the task was stopped during the survey, there is nothing to draft from.
    if (!drafted && isAlone && this.#run.control.stopReason !== undefined) return stoppedEnding(this.#run);
    const { kind, output } = drafted?.choice ?? { kind: 'none', output: NOT_DRAFTED };
    const isDone = kind === 'solved' || kind === 'voted';
    if (isDone && (isAlone || !this.#hasWaitingText())) return { reason: 'final_answer', output };
    // All answers that the task may ask for are used up.
    if (isAlone) return { reason: 'max_iterations', detail: output, output };
    const start = kind === 'none' ? undefined : START_NOTE;
    return this.#openLoop(start, { isAgain: drafted !== undefined && !start }).run();
  }

  async correct(message: string, number: number): Promise<Ending> {
    if (this.#loop) return this.#loop.correct(message, number);
    return this.#openLoop(message, { name: 'mend' }).run();
  }

  /** Answers a question from the brief alone; undefined for any other task. */
  async #answer(): Promise<Ending | undefined> {
    const run = this.#run;
    if (!run.limits.readOnly || this.#solving.strategy === 'loop' || !isBriefed(run)) return undefined;
    const { brief } = await this.#surveyed();
    if (brief.isEmpty) return undefined;
    return directAnswer(run, this.#model, [brief.text, await this.#taskAfterBrief()].join('\n\n'));
  }

  /** Runs the drafts; undefined if drafts cannot help. */
  async #draft(): Promise<DraftsOutcome | undefined> {
    const run = this.#run;
    const solving = this.#solving;
    if (solving.strategy === 'loop' || solving.drafts === 0 || run.limits.readOnly) return undefined;
    if (!hasCheckTree(run) || !isBriefed(run)) return undefined;
    const { brief, base } = await this.#surveyed();
    if (brief.isEmpty) return undefined;
    return runDrafts({
      run,
      model: this.#model,
      solving,
      base,
      question: draftQuestion(brief.text, await this.#taskAfterBrief(), solving.form),
      shownTokens: brief.tokens,
      shown: brief.files.filter(({ shown }) => shown !== 'named').map(({ path }) => path),
      mayChange: changeableBy(run.task),
    });
  }

  /** Returns the task message for a question without tools, which follows the brief. */
  #taskAfterBrief(): Promise<string> {
    return composeTaskMessage(this.#run, this.#model, { hasBrief: true, isBare: true });
  }

  #surveyed(): Promise<SurveyResult> {
    return this.#survey.resultFor(this.#model);
  }

  /** Returns whether the user sent a message that no stage has taken yet. */
  #hasWaitingText(): boolean {
    return hasWaitingMessage({ run: this.#run, name: LOOP_NAME }, 1);
  }

  /** Opens the loop, with the brief in its first message and `note` at the end of that message. */
  #openLoop(note: string | undefined, options: Pick<AgentLoopOptions, 'name' | 'isAgain'>): AgentLoop {
    const run = this.#run;
    const model = this.#model;
    this.#loop = new AgentLoop(run, model, {
      ...options,
      turnsBefore: run.totals.iterations,
      firstMessage: async () => {
        const brief = isBriefed(run) ? (await this.#surveyed()).brief : undefined;
        const shown = (brief?.files ?? [])
          .filter((file) => file.shown !== 'named')
          // A file that is not UTF-8 must be read with a tool, which reports its encoding, before it is replaced.
          .map(({ path, shown, encoding }) => ({
            path,
            isWhole: shown === 'whole' && encoding === undefined,
          }));
        const message = await composeTaskMessage(run, model, { hasBrief: brief !== undefined });
        return { text: [brief?.text, message, note].filter(Boolean).join('\n\n'), shown };
      },
      loadBaseReport: async () => (isBriefed(run) ? { report: (await this.#surveyed()).base } : undefined),
    });
    return this.#loop;
  }
}

/** Returns whether the brief is enabled. Without a brief the model explores the repository itself. */
const isBriefed = ({ config }: TaskRun): boolean => config.brief.seconds > 0;

const NOT_DRAFTED =
  'No drafts were made: the task is to change nothing, or no file of the repository bears on it.';
const START_NOTE = 'A first change is in the files already. Read what it did before you go on.';
