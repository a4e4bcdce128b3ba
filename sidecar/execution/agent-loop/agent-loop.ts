/**
 * The agentic way: one conversation that the loop runs in, gone on with after failed checks. Another way may prepare the
 * ground and hand over to it with a first message of its own.
 */
import { isQuestion } from '../task/wanted.ts';
import { CODE_WANTED, codeStops, maxAnswerTokens } from '../../prompt/code-answer.ts';
import { HEADINGS } from '../../prompt/question-headings.ts';
import type { SolvingProfile } from '../../model/catalog-schema.ts';
import { Conversation } from '../asking/conversation.ts';
import { seedOf } from '../asking/seed.ts';
import { Checkpoint } from '../journal/checkpoint.ts';
import type { ReadyModel } from '../models/ready-model.ts';
import type { TaskModels } from '../models/task-models.ts';
import type { Ending } from '../task/ending.ts';
import { hasTried, type TaskRun } from '../task/task-run.ts';
import type { WayOfSolving } from '../way-of-solving.ts';
import { newReminders, setUpAgent, type AgentSetup } from './agent-setup.ts';
import {
  hearAll,
  keptFirstMessage,
  keptMessage,
  taskMessage,
  type FirstMessage,
  type ShownFile,
} from './first-message.ts';
import { fingerprintOf } from './guardrails/change-watch.ts';
import type { LoopStage } from './loop-stage.ts';
import { runLoop } from './loop.ts';
import { QuickChecks, type LoopChecks } from './quick-checks.ts';

/** Of the first answer of a model that has failed at the task before: it is to find another way, and still to write calls that can be read. */
const RETRY_TEMPERATURE = 0.6;

export interface AgentLoopOptions {
  /** The loop's name in the journal; a second loop of the same task needs another. Default: `run`. */
  name?: string;
  /**
   * Makes what the model is told first; asked once, a resumed task has it in its journal. Default: the task's own message.
   * `needsTools`: whether the model is offered tools where it is shown these files.
   */
  firstMessage?: (needsTools: (shown: readonly ShownFile[]) => boolean) => Promise<FirstMessage>;
  /** The task's checks, where they were run before the loop: they decide when an answer ends it. Asked once a life. */
  checks?: () => Promise<LoopChecks | undefined>;
  /** Default: what the model's profile says. */
  tools?: SolvingProfile['tools'];
  /** The same was asked before: the first answer is to be another one. */
  isAgain?: boolean;
  /** Answers that other stages of the task used: the loop's own limit does not count them. Default: none. */
  turnsBefore?: number;
}

/** A loop whose conversation begins with `run` and goes on with each `correct`. */
export function agentLoop(
  run: TaskRun,
  models: TaskModels,
  options: AgentLoopOptions = {},
): Required<Pick<WayOfSolving, 'run' | 'correct'>> {
  return new AgentLoop(run, models.own, options);
}

class AgentLoop {
  readonly #run: TaskRun;
  readonly #model: ReadyModel;
  readonly #options: AgentLoopOptions;
  readonly #setup: AgentSetup;
  #conversation: Conversation | undefined;
  #hasTools = true;
  #checks: QuickChecks;
  readonly #reminders = newReminders();
  readonly #nudgesBefore: number;

  constructor(run: TaskRun, model: ReadyModel, options: AgentLoopOptions) {
    this.#run = run;
    this.#model = model;
    this.#options = options;
    this.#nudgesBefore = run.totals.nudges;
    this.#setup = setUpAgent(run, model, { tools: options.tools });
    this.#checks = new QuickChecks(run, undefined);
  }

  async run(): Promise<Ending> {
    const { name = 'run', firstMessage = () => this.#taskAlone(), checks } = this.#options;
    const checkpoint = new Checkpoint(this.#run.journal, name);
    const first = await keptFirstMessage(checkpoint, async () =>
      this.#askingForCode(await firstMessage((shown) => this.#needsTools(shown))),
    );
    for (const { path, isWhole } of first.shown) this.#setup.files.show([path], { isWhole });
    const { conversation } = this.#setup;
    this.#hasTools = this.#needsTools(first.shown);
    this.#conversation = new Conversation(
      this.#hasTools ? conversation : { ...conversation, besideCode: [] },
      first.text,
    );
    if (first.isNew) hearAll(this.#conversation.messages, this.#run.observer);
    this.#checks = new QuickChecks(this.#run, await checks?.());
    return runLoop(this.#stage(this.#conversation, checkpoint));
  }

  /** A small model that is offered tools calls them, with made-up arguments, instead of changing what it is shown. */
  #needsTools(shown: readonly ShownFile[]): boolean {
    const isShown = shown.some(({ isWhole }) => isWhole);
    return !this.#answersInCode || !isShown || isQuestion(this.#run.task.description);
  }

  /** A small model answers in the form that it reads last. */
  #askingForCode(first: FirstMessage): FirstMessage {
    if (!this.#answersInCode || isQuestion(this.#run.task.description)) return first;
    return {
      ...first,
      text: `${first.text}\n\n# ${HEADINGS.answer}\n${CODE_WANTED}`,
    };
  }

  async #taskAlone(): Promise<FirstMessage> {
    return { text: await taskMessage(this.#run, this.#model) };
  }

  get #answersInCode(): boolean {
    return this.#setup.conversation.besideCode !== undefined;
  }

  async correct(message: string, number: number): Promise<Ending> {
    const conversation = this.#conversation;
    if (!conversation) throw new Error('correct() was called before run()');
    const { name } = this.#options;
    const stage = name === undefined ? `correct-${number}` : `${name}-correct-${number}`;
    const checkpoint = new Checkpoint(this.#run.journal, stage);
    const { text, isNew } = await keptMessage(checkpoint, () => message);
    if (isNew) this.#run.observer?.said('USER', text);
    conversation.add({ role: 'user', content: text });
    return runLoop(this.#stage(conversation, checkpoint, { isCorrective: true }));
  }

  #stage(conversation: Conversation, checkpoint: Checkpoint, { isCorrective = false } = {}): LoopStage {
    const { tools, approvals, code } = this.#setup;
    return {
      run: this.#run,
      model: this.#model,
      purpose: 'agentic',
      conversation,
      checkpoint,
      tools,
      code,
      keepsOnlyBetter: this.#answersInCode,
      checks: this.#checks,
      reminders: this.#reminders,
      isCorrective,
      nudgesBefore: this.#nudgesBefore,
      ...this.#sampling({ isCorrective }),
      fingerprint: fingerprintOf(this.#run),
      approvals,
      turns: { allowed: this.#run.limits.maxIterations, usedBefore: this.#options.turnsBefore ?? 0 },
    };
  }

  #sampling({ isCorrective }: { isCorrective: boolean }): Pick<LoopStage, 'sampling' | 'firstSampling'> {
    const sampling = {
      ...(this.#answersInCode && { stop: codeStops(this.#setup.code.unwanted) }),
      ...(!this.#hasTools && { maxTokens: maxAnswerTokens(this.#model.session.windowTokens) }),
    };
    const isAgain = this.#options.isAgain || hasTried(this.#run, this.#model.name);
    if (!isAgain || isCorrective) return { sampling };
    const seed = seedOf(this.#run, 0);
    return { sampling, firstSampling: { ...sampling, temperature: RETRY_TEMPERATURE, seed } };
  }
}
