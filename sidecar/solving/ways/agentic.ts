/**
 * Solves a task in the agentic way, cheapest step first. A question is first asked without tools. A change is first requested as drafts.
 * Then the loop continues from the best tree of the drafts. Steps that cannot help are skipped. Each step ends the task if the checks pass.
 * All steps share one ledger, one timeline and one result.
 */
import type { SolvingProfile } from '../../model/catalog-schema.ts';
import { AgentLoop, type AgentLoopOptions, LOOP_NAME } from '../loop/agent-loop.ts';
import { composeTaskMessage } from '../model-calls/first-message.ts';
import { hasWaitingMessage } from '../model-calls/stage.ts';
import { createChangeableMatcher } from '../task/checking/changeable.ts';
import { runDrafts, type DraftsOutcome } from '../drafts/draft-stage.ts';
import { buildDraftQuestion } from '../drafts/question.ts';
import type { ReadyModel } from '../model-calls/models/task-models.ts';
import { createStoppedEnding, type Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import { answerDirectly } from './direct-answer.ts';
import { chooseSolvingProfile } from '../solve/solving-options.ts';
import type { Survey, SurveyResult } from '../solve/survey.ts';
import type { Attempt, ModelWay, Way } from '../solve/way.ts';

export const agentic: ModelWay = {
  usesSurvey: true,
  open: (attempt) => {
    const profile = chooseSolvingProfile(attempt.run, attempt.models.ownModel.entry);
    const way = new AgenticWay(attempt, profile);
    // With the strategy `drafts`, no loop corrects the result, so the way has no `correct`.
    return profile.strategy === 'drafts' ? { run: () => way.run() } : way;
  },
};

class AgenticWay implements Way {
  readonly #run: TaskRun;
  readonly #model: ReadyModel;
  readonly #survey: Survey;
  readonly #profile: SolvingProfile;
  #loop: AgentLoop | undefined;

  constructor({ run, models, survey }: Attempt, solving: SolvingProfile) {
    this.#run = run;
    this.#model = models.ownModel;
    this.#survey = survey;
    this.#profile = solving;
  }

  async run(): Promise<Ending> {
    const answer = await this.#answerFromBrief();
    if (answer && (answer.reason !== 'final_answer' || !this.#hasWaitingMessage())) return answer;
    const draftsOutcome = await this.#runDrafts();
    if (draftsOutcome?.ending) {
      const { choice, ending } = draftsOutcome;
      return choice.kind === 'none' ? ending : { ...ending, output: choice.output };
    }
    const hasDraftsOnly = this.#profile.strategy === 'drafts';
    // If the task was stopped during the survey, no draft was made.
    if (!draftsOutcome && hasDraftsOnly && this.#run.control.stopReason !== undefined)
      return createStoppedEnding(this.#run);
    const { kind, output } = draftsOutcome?.choice ?? { kind: 'none', output: NO_DRAFTS_REASON };
    const isDone = kind === 'solved' || kind === 'voted';
    if (isDone && (hasDraftsOnly || !this.#hasWaitingMessage())) return { reason: 'final_answer', output };
    // All answers of the task are used.
    if (hasDraftsOnly) return { reason: 'max_iterations', detail: output, output };
    const startNote = kind === 'none' ? undefined : START_NOTE;
    return this.#openLoop(startNote, { isRetry: draftsOutcome !== undefined && !startNote }).run();
  }

  async correct(message: string, number: number): Promise<Ending> {
    if (this.#loop) return this.#loop.correct(message, number);
    return this.#openLoop(message, { name: 'mend' }).run();
  }

  /** Answers a question from the brief alone. Returns undefined for any other task. */
  async #answerFromBrief(): Promise<Ending | undefined> {
    const run = this.#run;
    if (!run.limits.readOnly || this.#profile.strategy === 'loop' || !hasBrief(run)) return undefined;
    const { brief } = await this.#awaitSurvey();
    if (brief.isEmpty) return undefined;
    return answerDirectly(run, this.#model, [brief.text, await this.#buildMessageAfterBrief()].join('\n\n'));
  }

  /** Runs the drafts. Returns undefined if drafts cannot help. */
  async #runDrafts(): Promise<DraftsOutcome | undefined> {
    const run = this.#run;
    const solving = this.#profile;
    if (solving.strategy === 'loop' || solving.drafts === 0 || run.limits.readOnly) return undefined;
    if (!hasBrief(run)) return undefined;
    const { brief, baseReport } = await this.#awaitSurvey();
    if (brief.isEmpty) return undefined;
    return runDrafts({
      run,
      model: this.#model,
      solving,
      base: baseReport,
      question: buildDraftQuestion(brief.text, await this.#buildMessageAfterBrief(), solving.form),
      shownTokens: brief.tokens,
      shownPaths: brief.files.filter(({ extent }) => extent !== 'named').map(({ path }) => path),
      mayChange: createChangeableMatcher(run.task),
    });
  }

  /** Returns the message with the task for a question without tools. It follows the brief. */
  #buildMessageAfterBrief(): Promise<string> {
    return composeTaskMessage(this.#run, this.#model, { hasBrief: true, isBare: true });
  }

  #awaitSurvey(): Promise<SurveyResult> {
    return this.#survey.prepareResult(this.#model);
  }

  /** Returns whether a user sent a message that no stage has read yet. */
  #hasWaitingMessage(): boolean {
    return hasWaitingMessage({ run: this.#run, name: LOOP_NAME }, 1);
  }

  /** Opens the loop. Its first message starts with the brief and ends with `note`. */
  #openLoop(note: string | undefined, options: Pick<AgentLoopOptions, 'name' | 'isRetry'>): AgentLoop {
    const run = this.#run;
    const model = this.#model;
    this.#loop = new AgentLoop(run, model, {
      ...options,
      turnsBefore: run.totals.iterations,
      firstMessage: async () => {
        const brief = hasBrief(run) ? (await this.#awaitSurvey()).brief : undefined;
        const shown = (brief?.files ?? [])
          .filter((file) => file.extent !== 'named')
          // A file that is not UTF-8 does not count as read: a tool must first report its encoding to the model.
          .map(({ path, extent, encoding }) => ({
            path,
            isWhole: extent === 'whole' && encoding === undefined,
          }));
        const message = await composeTaskMessage(run, model, { hasBrief: brief !== undefined });
        return { text: [brief?.text, message, note].filter(Boolean).join('\n\n'), shownFiles: shown };
      },
      loadBaseReport: async () =>
        hasBrief(run) ? { report: (await this.#awaitSurvey()).baseReport } : undefined,
    });
    return this.#loop;
  }
}

/** Returns whether the brief is enabled. Without a brief the model explores the repository by itself. */
const hasBrief = ({ config }: TaskRun): boolean => config.brief.seconds > 0;

const NO_DRAFTS_REASON =
  'No drafts were made: the task must not change files, or no file of the repository is relevant to it.';
const START_NOTE = 'The files already contain a first change. Read it before you continue.';
