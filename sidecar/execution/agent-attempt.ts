/**
 * An agentic task at work: one conversation that the loop runs in, gone on with after failed checks.
 * What the first message said is in the journal, so that a resumed task says the same.
 */
import type { TaskJournal } from '../ports.ts';
import { agentKit, contentOf, hearAll, openingMessage, type AgentKit } from './agent-kit.ts';
import type { AskBase } from './ask.ts';
import type { Attempt } from './attempt.ts';
import { AttemptOfParts } from './attempt-of-parts.ts';
import type { AttemptParts } from './attempt-parts.ts';
import { Checkpoint } from './checkpoint.ts';
import { Conversation } from './conversation.ts';
import type { Ending } from './ending.ts';
import { runLoop, type LoopContext } from './loop.ts';
import type { OpenedModel } from './open-model.ts';

/** An attempt whose conversation begins with `run`. */
export function openAgentAttempt(
  parts: AttemptParts,
  opened: OpenedModel,
  journal: TaskJournal | undefined,
): Attempt {
  return new AgentAttempt(parts, opened, journal);
}

class AgentAttempt extends AttemptOfParts {
  readonly #base: AskBase;
  readonly #kit: AgentKit;
  #conversation: Conversation | undefined;

  constructor(parts: AttemptParts, opened: OpenedModel, journal: TaskJournal | undefined) {
    super(parts, opened.base.model, journal);
    this.#base = opened.base;
    this.#kit = agentKit(parts, opened, { journal });
  }

  async run(): Promise<Ending> {
    const checkpoint = new Checkpoint(this.journal, 'run');
    const first = await openingMessage(this.#base, this.parts, checkpoint);
    this.#conversation = new Conversation(this.#kit.conversation, first.text);
    if (first.isNew) hearAll(this.#conversation.messages, this.#base.observer);
    return runLoop(this.#context(this.#conversation, checkpoint));
  }

  async correct(message: string, number: number): Promise<Ending> {
    const checkpoint = new Checkpoint(this.journal, `correct-${number}`);
    const [past] = checkpoint.inputs(0, () => []);
    const [text = message] = past === undefined ? checkpoint.inputs(0, () => [message]) : [past];
    if (past === undefined) this.#base.observer?.said('USER', text);
    const conversation = this.#conversation;
    if (!conversation) throw new Error('correct() was called before run()');
    conversation.add({ role: 'user', content: text });
    return runLoop(this.#context(conversation, checkpoint));
  }

  #context(conversation: Conversation, checkpoint: Checkpoint): LoopContext {
    const { tools, approvals } = this.#kit;
    const fingerprint = contentOf(this.#base, this.workspace);
    return {
      ...this.#base,
      conversation,
      checkpoint,
      tools,
      fingerprint,
      answerQuestion: (question) => approvals.question(question),
    };
  }
}
