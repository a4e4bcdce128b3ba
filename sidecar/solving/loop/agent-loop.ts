/**
 * Exports the loop that a way of solving uses: one conversation with the model, which continues after failed checks or with the next step
 * of a plan. A way can do work before the loop and pass it a first message.
 */
import { Conversation, type ConversationOptions } from '../model-calls/conversation.ts';
import { seedOf } from '../model-calls/seed.ts';
import type { VerificationReport } from '../../base/protocol/result.ts';
import type { Sampling } from '../../model/model-session.ts';
import type { ReadyModel } from '../model-calls/models/task-models.ts';
import type { Ending } from '../task/ending.ts';
import { hasTriedModel, type TaskRun } from '../task/task-run.ts';
import type { PlanSink } from '../../tools/types.ts';
import { setUpAgent } from './agent-setup.ts';
import { recordOpening, composeTaskMessage, type FirstMessage } from '../model-calls/first-message.ts';
import { createCorrectionBudget, type LoopStage } from './loop-stage.ts';
import { runLoop } from './loop.ts';
import { QuickChecks } from './quick-checks.ts';
import type { ToolRunner } from './tool-runner.ts';

/**
 * Temperature of the first answer of a model that failed at the task before: high enough for another solution, low enough for valid calls.
 */
const RETRY_TEMPERATURE = 0.6;

/** Name of the loop that works on a task; a loop that corrects the result of drafts is named `mend`. */
export const LOOP_NAME = 'run';

export interface AgentLoopOptions {
  /** Name of the loop; a second loop of the same task needs another name. Default: LOOP_NAME. */
  name?: string;
  /** Returns the first message; called once. Default: the task's own message. */
  firstMessage?: () => Promise<FirstMessage>;
  /**
   * Returns the report of the checks on the base, if there is one. The report decides whether an answer ends the loop. Slow checks may
   * still be running. Called at most once.
   */
  loadBaseReport?: () => Promise<{ report: Promise<VerificationReport | undefined> } | undefined>;
  /** Whether the same question was asked before. If so, the first answer should differ. */
  isRetry?: boolean;
  /** Number of answers in earlier stages of the task. They do not count for the loop's limit. Default: 0. */
  turnsBefore?: number;
  /** Sink for the updates of the plan tool. */
  plan?: PlanSink;
}

/** Fields that differ between the stages of one loop. */
export interface StageOptions
  extends
    Pick<LoopStage, 'name'>,
    Partial<Pick<LoopStage, 'turns' | 'shouldChangeFiles' | 'corrections' | 'sampling'>> {
  /** Whether the stage follows failed checks. */
  isCorrective?: boolean;
}

/** A loop whose conversation begins with `run` and continues with `correct`. Both methods reject only on bugs and storage errors. */
export class AgentLoop {
  readonly tools: ToolRunner;
  readonly #run: TaskRun;
  readonly #model: ReadyModel;
  readonly #options: AgentLoopOptions;
  readonly #setup: ConversationOptions;
  #conversation: Conversation | undefined;
  #checks: QuickChecks;
  readonly #corrections = createCorrectionBudget();

  constructor(run: TaskRun, model: ReadyModel, options: AgentLoopOptions = {}) {
    this.#run = run;
    this.#model = model;
    this.#options = options;
    const { tools, conversation } = setUpAgent(run, model, options.plan);
    this.tools = tools;
    this.#setup = conversation;
    this.#checks = new QuickChecks(run, undefined);
  }

  async run(): Promise<Ending> {
    const { name = LOOP_NAME, loadBaseReport } = this.#options;
    const { messages } = await this.open();
    recordOpening(messages, this.#run.observer);
    this.#checks = new QuickChecks(this.#run, (await loadBaseReport?.())?.report);
    return this.runStage({ name, sampling: this.#chooseFirstSampling() });
  }

  /** Opens the conversation with the first message. */
  async open(): Promise<Conversation> {
    const { text, shownFiles = [] } = await (
      this.#options.firstMessage ?? (() => this.#buildDefaultMessage())
    )();
    for (const { path, isWhole } of shownFiles) this.tools.files.recordShown([path], { isWhole });
    return (this.#conversation = new Conversation(this.#setup, text));
  }

  async #buildDefaultMessage(): Promise<FirstMessage> {
    return { text: await composeTaskMessage(this.#run, this.#model) };
  }

  /** Continues the conversation after failed checks. `number` counts from 1. */
  async correct(message: string, number: number): Promise<Ending> {
    const { name } = this.#options;
    this.#run.observer?.recordMessage('USER', message);
    this.#currentConversation.add({ role: 'user', content: message });
    const stage = name === undefined ? `correct-${number}` : `${name}-correct-${number}`;
    return this.runStage({ name: stage, isCorrective: true });
  }

  /** Runs a stage on the current conversation. Rejects only on bugs and storage errors. */
  runStage({ isCorrective = false, ...own }: StageOptions): Promise<Ending> {
    if (isCorrective) this.#checks.markFailed();
    return runLoop({
      run: this.#run,
      model: this.#model,
      purpose: 'agentic',
      conversation: this.#currentConversation,
      tools: this.tools,
      checks: this.#checks,
      corrections: this.#corrections,
      shouldChangeFiles: true,
      turns: { maxTurns: this.#run.limits.maxIterations, turnsBefore: this.#options.turnsBefore ?? 0 },
      ...own,
    });
  }

  get #currentConversation(): Conversation {
    if (!this.#conversation) throw new Error('correct() or runStage() was called before run() or open()');
    return this.#conversation;
  }

  #chooseFirstSampling(): Sampling | undefined {
    const isAgain = this.#options.isRetry || hasTriedModel(this.#run, this.#model.name);
    return isAgain ? { temperature: RETRY_TEMPERATURE, seed: seedOf(this.#run, 0) } : undefined;
  }
}
