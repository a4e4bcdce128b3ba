/**
 * The agentic way: one conversation that the loop runs in, gone on with after failed checks. Another way may prepare the
 * ground and hand over to it with a first message of its own.
 */
import { Conversation } from '../asking/conversation.ts';
import { seedOf } from '../asking/seed.ts';
import type { VerificationReport } from '../protocol/result.ts';
import type { ReadyModel } from '../asking/models/task-models.ts';
import type { Ending } from '../task/ending.ts';
import { hasTried, type TaskRun } from '../task/task-run.ts';
import { newReminders, setUpAgent, type AgentSetup } from './agent-setup.ts';
import { recordOpening, taskMessage, type FirstMessage } from '../asking/first-message.ts';
import { fingerprintOf } from './guards/progress.ts';
import type { LoopStage } from './loop-stage.ts';
import { runLoop } from './loop.ts';
import { QuickChecks } from './quick-checks.ts';

/** Temperature of the first answer of a model that has failed at the task before: it is to find another way, and still to write calls that can be read. */
const RETRY_TEMPERATURE = 0.6;

export interface AgentLoopOptions {
  /** The loop's name; a second loop of the same task needs another. Default: `run`. */
  name?: string;
  /** Makes the first message; called once. Default: the task's own message. */
  firstMessage?: () => Promise<FirstMessage>;
  /**
   * The checks' report from before the loop, where they were run then: it decides when an answer ends it. Slow ones may
   * still be running. Asked once a run.
   */
  base?: () => Promise<{ report: Promise<VerificationReport | undefined> } | undefined>;
  /** The same was asked before: the first answer is to be another one. */
  isAgain?: boolean;
  /** Answers that other stages of the task used: the loop's own limit does not count them. Default: none. */
  turnsBefore?: number;
}

/** A loop whose conversation begins with `run` and goes on with each `correct`. Both reject only for bugs and a failing disk. */
export class AgentLoop {
  readonly #run: TaskRun;
  readonly #model: ReadyModel;
  readonly #options: AgentLoopOptions;
  readonly #setup: AgentSetup;
  #conversation: Conversation | undefined;
  #checks: QuickChecks;
  readonly #reminders = newReminders();
  readonly #nudgesBefore: number;

  constructor(run: TaskRun, model: ReadyModel, options: AgentLoopOptions = {}) {
    this.#run = run;
    this.#model = model;
    this.#options = options;
    this.#nudgesBefore = run.totals.nudges;
    this.#setup = setUpAgent(run, model);
    this.#checks = new QuickChecks(run, undefined);
  }

  async run(): Promise<Ending> {
    const { name = 'run', firstMessage = () => this.#taskAlone(), base } = this.#options;
    const { text, shown = [] } = await firstMessage();
    for (const { path, isWhole } of shown) this.#setup.files.show([path], { isWhole });
    this.#conversation = new Conversation(this.#setup.conversation, text);
    recordOpening(this.#conversation.messages, this.#run.observer);
    this.#checks = new QuickChecks(this.#run, (await base?.())?.report);
    return runLoop(this.#stage(this.#conversation, name));
  }

  async #taskAlone(): Promise<FirstMessage> {
    return { text: await taskMessage(this.#run, this.#model) };
  }

  /** `number` counts from 1. */
  async correct(message: string, number: number): Promise<Ending> {
    const conversation = this.#conversation;
    if (!conversation) throw new Error('correct() was called before run()');
    const { name } = this.#options;
    const stage = name === undefined ? `correct-${number}` : `${name}-correct-${number}`;
    this.#run.observer?.said('USER', message);
    conversation.add({ role: 'user', content: message });
    return runLoop(this.#stage(conversation, stage, { isCorrective: true }));
  }

  #stage(conversation: Conversation, name: string, { isCorrective = false } = {}): LoopStage {
    const { tools, approvals, files } = this.#setup;
    return {
      run: this.#run,
      model: this.#model,
      purpose: 'agentic',
      name,
      conversation,
      tools,
      files,
      checks: this.#checks,
      reminders: this.#reminders,
      isCorrective,
      nudgesBefore: this.#nudgesBefore,
      ...(!isCorrective && this.#firstSampling()),
      fingerprint: fingerprintOf(this.#run),
      approvals,
      turns: { allowed: this.#run.limits.maxIterations, usedBefore: this.#options.turnsBefore ?? 0 },
    };
  }

  #firstSampling(): Pick<LoopStage, 'firstSampling'> {
    const isAgain = this.#options.isAgain || hasTried(this.#run, this.#model.name);
    return isAgain ? { firstSampling: { temperature: RETRY_TEMPERATURE, seed: seedOf(this.#run, 0) } } : {};
  }
}
