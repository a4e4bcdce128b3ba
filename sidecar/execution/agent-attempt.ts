/**
 * An agentic task at work: one conversation that the loop runs in, gone on with after failed checks (agent.md, The
 * loop, Verification). What the first message said is in the journal, so that a resumed task says the same.
 */
import { deniedReason } from '../environment/deny-list.ts';
import { buildTaskMessage } from '../prompt/task-message.ts';
import { gatherContext } from '../prompt/gather-context.ts';
import type { RunObserver, TaskJournal } from '../ports.ts';
import { createToolRegistry } from '../tools/registry.ts';
import { scaleLimits } from '../tools/truncation.ts';
import type { Attempt } from './attempt.ts';
import type { AskContext } from './ask.ts';
import { Checkpoint } from './checkpoint.ts';
import type { Ending } from './ending.ts';
import { Conversation, type ConversationOptions } from './conversation.ts';
import { runLoop, type LoopContext } from './loop.ts';
import type { AttemptParts } from './attempt-parts.ts';
import type { OpenedModel } from './open-model.ts';
import { ToolRunner } from './tool-runner.ts';

interface AgentAttemptOptions {
  base: Omit<AskContext, 'conversation' | 'checkpoint'>;
  parts: Pick<AttemptParts, 'workspace' | 'env' | 'close' | 'settings'>;
  conversation: ConversationOptions;
  tools: ToolRunner;
  journal?: TaskJournal;
  answerQuestion: LoopContext['answerQuestion'];
}

/** An attempt whose conversation begins with `run`. */
export function openAgentAttempt(
  parts: AttemptParts,
  { base, entry, toolMode }: OpenedModel,
  journal: TaskJournal | undefined,
): Attempt {
  const { settings, env, emit, task } = parts;
  const registry = settings.registry ?? createToolRegistry();
  const { outputLimits, lineLimits } = settings.config.tools;
  const tools = new ToolRunner({
    registry,
    env,
    emit,
    observer: base.observer,
    parallel: entry.parallelToolCalls,
    limits: () =>
      scaleLimits(base.session.windowTokens, base.estimator.charsPerToken, {
        toolOutputLimits: outputLimits,
        toolLineLimits: lineLimits,
      }),
    refuseCommand: deniedReason,
  });
  const { askPerson } = settings;
  return new AgentAttempt({
    base,
    parts,
    tools,
    journal,
    conversation: {
      mode: toolMode,
      definitions: registry.definitions(),
      extraPrompt: entry.prompt,
      approval: askPerson !== undefined && settings.config.approval.question === 'hub',
    },
    answerQuestion: (question) => askPerson?.(task, question) ?? Promise.resolve(DECIDE_YOURSELF),
  });
}

/** What the policy `auto` answers to a question (planning.md, Approval). */
const DECIDE_YOURSELF = 'Nobody can answer now. Decide yourself and write down why in your final answer.';

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
    const first = await firstMessage(this.#options, checkpoint);
    this.#conversation = new Conversation(this.#options.conversation, first.text);
    if (first.isNew) hearOpening(this.#conversation, this.#options.base.observer);
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
    const { base, tools, answerQuestion, parts } = this.#options;
    const { workspace } = parts;
    // Told against its base: one that was opened anew after a crash may begin from another.
    const told = async () => `${workspace.baseCommit} ${await workspace.fingerprint()}`;
    const fingerprint = base.limits.readOnly ? undefined : told;
    return { ...base, conversation, checkpoint, tools, answerQuestion, fingerprint };
  }
}

/** What stands before the first answer. */
function hearOpening({ messages }: Conversation, observer: RunObserver | undefined): void {
  for (const { role, content } of messages) observer?.said(role === 'system' ? 'SYSTEM' : 'USER', content);
}

async function firstMessage(
  { base, parts }: AgentAttemptOptions,
  checkpoint: Checkpoint,
): Promise<{ text: string; isNew: boolean }> {
  const [past] = checkpoint.inputs(0, () => []);
  if (past !== undefined) return { text: past, isNew: false };
  const context = await gatherContext(base.task, parts.env, parts.settings.config.prompt);
  const fresh = buildTaskMessage(base.task, {
    ...context,
    branch: parts.workspace.branch,
    windowTokens: base.session.windowTokens,
    charsPerToken: base.estimator.charsPerToken,
  });
  checkpoint.inputs(0, () => [fresh]);
  return { text: fresh, isNew: true };
}
