/**
 * The public interface of the loop: one conversation, which continues after failed checks or with the next step of a plan. A way can do
 * work before the loop and pass it a first message.
 */
import { Conversation, type ConversationOptions } from '../model-calls/conversation.ts';
import { seedOf } from '../model-calls/seed.ts';
import type { VerificationReport } from '../../base/protocol/result.ts';
import type { Sampling } from '../../model/model-session.ts';
import type { ReadyModel } from '../model-calls/models/task-models.ts';
import type { Ending } from '../task/ending.ts';
import { hasTried, type TaskRun } from '../task/task-run.ts';
import type { PlanSink } from '../../tools/types.ts';
import { setUpAgent } from './agent-setup.ts';
import { recordOpening, taskMessage, type FirstMessage } from '../model-calls/first-message.ts';
import { newPatience, type LoopStage } from './loop-stage.ts';
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
   * Returns the checks' report from before the loop, if there is one; it decides when an answer ends the loop. Slow checks may still be
   * running. Called once in a run.
   */
  base?: () => Promise<{ report: Promise<VerificationReport | undefined> } | undefined>;
  /** Whether the same question was asked before, so that the first answer should differ. */
  isAgain?: boolean;
  /** Number of answers that earlier stages of the task used, which do not count for the loop's limit. Default: none. */
  turnsBefore?: number;
  /** Receives the updates of the plan tool. */
  plan?: PlanSink;
}

/** Fields that differ between the stages of one loop. */
export interface OwnStage
  extends
    Pick<LoopStage, 'name'>,
    Partial<Pick<LoopStage, 'turns' | 'isToChange' | 'patience' | 'sampling'>> {
  /** Whether the stage follows failed checks. */
  isCorrective?: boolean;
}

/** A loop whose conversation begins with `run` and continues with each `correct`. Both reject only on bugs and storage errors. */
export class AgentLoop {
  readonly tools: ToolRunner;
  readonly #run: TaskRun;
  readonly #model: ReadyModel;
  readonly #options: AgentLoopOptions;
  readonly #setup: ConversationOptions;
  #conversation: Conversation | undefined;
  #checks: QuickChecks;
  readonly #patience = newPatience();

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
    const { name = LOOP_NAME, base } = this.#options;
    const { messages } = await this.open();
    recordOpening(messages, this.#run.observer);
    this.#checks = new QuickChecks(this.#run, (await base?.())?.report);
    return this.work({ name, sampling: this.#firstSampling() });
  }

  /** Opens the conversation with the first message. */
  async open(): Promise<Conversation> {
    const { text, shown = [] } = await (this.#options.firstMessage ?? (() => this.#defaultMessage()))();
    for (const { path, isWhole } of shown) this.tools.files.show([path], { isWhole });
    return (this.#conversation = new Conversation(this.#setup, text));
  }

  async #defaultMessage(): Promise<FirstMessage> {
    return { text: await taskMessage(this.#run, this.#model) };
  }

  /** Continues the conversation after failed checks. `number` counts from 1. */
  async correct(message: string, number: number): Promise<Ending> {
    const { name } = this.#options;
    this.#run.observer?.said('USER', message);
    this.#opened.add({ role: 'user', content: message });
    const stage = name === undefined ? `correct-${number}` : `${name}-correct-${number}`;
    return this.work({ name: stage, isCorrective: true });
  }

  /** Runs a stage on the present conversation. Rejects only on bugs and storage errors. */
  work({ isCorrective = false, ...own }: OwnStage): Promise<Ending> {
    if (isCorrective) this.#checks.markFailed();
    return runLoop({
      run: this.#run,
      model: this.#model,
      purpose: 'agentic',
      conversation: this.#opened,
      tools: this.tools,
      checks: this.#checks,
      patience: this.#patience,
      isToChange: true,
      turns: { allowed: this.#run.limits.maxIterations, usedBefore: this.#options.turnsBefore ?? 0 },
      ...own,
    });
  }

  get #opened(): Conversation {
    if (!this.#conversation) throw new Error('The loop was continued before it began');
    return this.#conversation;
  }

  #firstSampling(): Sampling | undefined {
    const isAgain = this.#options.isAgain || hasTried(this.#run, this.#model.name);
    return isAgain ? { temperature: RETRY_TEMPERATURE, seed: seedOf(this.#run, 0) } : undefined;
  }
}
