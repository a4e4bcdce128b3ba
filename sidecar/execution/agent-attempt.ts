/**
 * An agentic task at work: one conversation that the loop runs in, gone on with after failed checks (agent.md, The
 * loop, Verification). What the first message said is in the journal, so that a resumed task says the same.
 */
import type { TaskJournal } from '../ports.ts';
import { agentKit, contentOf, hearAll, openingMessage, type AgentKit } from './agent-kit.ts';
import type { AskBase } from './ask.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptParts } from './attempt-parts.ts';
import { Checkpoint } from './checkpoint.ts';
import { Conversation } from './conversation.ts';
import type { Ending } from './ending.ts';
import { runLoop, type LoopContext } from './loop.ts';
import type { OpenedModel } from './open-model.ts';

interface AgentAttemptOptions extends AgentKit {
  base: AskBase;
  parts: AttemptParts;
  journal: TaskJournal | undefined;
}

/** An attempt whose conversation begins with `run`. */
export function openAgentAttempt(
  parts: AttemptParts,
  opened: OpenedModel,
  journal: TaskJournal | undefined,
): Attempt {
  return new AgentAttempt({ base: opened.base, parts, journal, ...agentKit(parts, opened, { journal }) });
}

class AgentAttempt implements Attempt {
  readonly #options: AgentAttemptOptions;
  #conversation: Conversation | undefined;

  constructor(options: AgentAttemptOptions) {
    this.#options = options;
  }

  get workspace() {
    return this.#options.parts.workspace;
  }
  get env() {
    return this.#options.parts.env;
  }
  get clock() {
    return this.#options.base.clock;
  }
  get control() {
    return this.#options.base.control;
  }
  get limits() {
    return this.#options.base.limits;
  }
  get totals() {
    return this.#options.base.totals;
  }
  get model() {
    return this.#options.base.model;
  }
  get journal() {
    return this.#options.journal;
  }

  async run(): Promise<Ending> {
    const checkpoint = new Checkpoint(this.#options.journal, 'run');
    const { base, parts } = this.#options;
    const first = await openingMessage(base, parts, checkpoint);
    this.#conversation = new Conversation(this.#options.conversation, first.text);
    if (first.isNew) hearAll(this.#conversation.messages, base.observer);
    return runLoop(this.#context(this.#conversation, checkpoint));
  }

  async correct(message: string, number: number): Promise<Ending> {
    const checkpoint = new Checkpoint(this.#options.journal, `correct-${number}`);
    const [past] = checkpoint.inputs(0, () => []);
    const [text = message] = past === undefined ? checkpoint.inputs(0, () => [message]) : [past];
    if (past === undefined) this.#options.base.observer?.said('USER', text);
    const conversation = this.#conversation;
    if (!conversation) throw new Error('correct() was called before run()');
    conversation.add({ role: 'user', content: text });
    return runLoop(this.#context(conversation, checkpoint));
  }

  close(): Promise<void> {
    return this.#options.parts.close();
  }

  #context(conversation: Conversation, checkpoint: Checkpoint): LoopContext {
    const { base, tools, approvals, parts } = this.#options;
    const fingerprint = contentOf(base, parts.workspace);
    return {
      ...base,
      conversation,
      checkpoint,
      tools,
      fingerprint,
      answerQuestion: (question) => approvals.question(question),
    };
  }
}
