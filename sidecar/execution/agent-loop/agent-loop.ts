/**
 * The agentic way: one conversation that the loop runs in, gone on with after failed checks. Another way may prepare the
 * ground and hand over to it with a first message of its own.
 */
import { Conversation } from '../asking/conversation.ts';
import { Checkpoint } from '../journal/checkpoint.ts';
import type { ReadyModel } from '../models/ready-model.ts';
import type { TaskModels } from '../models/task-models.ts';
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { WayOfSolving } from '../way-of-solving.ts';
import { setUpAgent, type AgentSetup } from './agent-setup.ts';
import { hearAll, keptMessage, taskMessage } from './first-message.ts';
import type { LoopStage } from './loop-stage.ts';
import { runLoop } from './loop.ts';
import { fingerprintOf } from './workspace-content.ts';

export interface AgentLoopOptions {
  /** The loop's name in the journal; a second loop of the same task needs another. Default: `run`. */
  name?: string;
  /** Makes what the model is told first; asked once, a resumed task has it in its journal. Default: the task's own message. */
  firstMessage?: () => Promise<string>;
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

  constructor(run: TaskRun, model: ReadyModel, options: AgentLoopOptions) {
    this.#run = run;
    this.#model = model;
    this.#options = options;
    this.#setup = setUpAgent(run, model);
  }

  async run(): Promise<Ending> {
    const { name = 'run', firstMessage = () => taskMessage(this.#run, this.#model) } = this.#options;
    const checkpoint = new Checkpoint(this.#run.journal, name);
    const first = await keptMessage(checkpoint, firstMessage);
    this.#conversation = new Conversation(this.#setup.conversation, first.text);
    if (first.isNew) hearAll(this.#conversation.messages, this.#run.observer);
    return runLoop(this.#stage(this.#conversation, checkpoint));
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
    return runLoop(this.#stage(conversation, checkpoint));
  }

  #stage(conversation: Conversation, checkpoint: Checkpoint): LoopStage {
    const { tools, approvals } = this.#setup;
    return {
      run: this.#run,
      model: this.#model,
      purpose: 'agentic',
      conversation,
      checkpoint,
      tools,
      fingerprint: fingerprintOf(this.#run),
      answerQuestion: (question) => approvals.question(question),
    };
  }
}
