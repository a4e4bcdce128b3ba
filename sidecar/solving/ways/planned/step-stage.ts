/**
 * Stage 2 of a planned task: each step is a loop stage in one growing conversation. System prompt and task come first and never change. Of
 * the other messages, the last user messages and the answers to them remain. A changed plan is appended.
 */
import type { ChatMessage } from '../../../model/chat.ts';
import type { PlanStep } from '../../plan/task-list.ts';
import { planMessage } from '../../prompt/loop-messages.ts';
import { stepMessage, transcriptOf } from '../../prompt/stage-messages.ts';
import { recentMessages } from '../../session/recent-messages.ts';
import { recordOpening } from '../../model-calls/first-message.ts';
import type { StageOptions } from '../../loop/agent-loop.ts';
import { newCorrectionBudget } from '../../loop/loop-stage.ts';
import type { Conversation } from '../../model-calls/conversation.ts';
import {
  endsTask,
  MAX_STEP_ITERATIONS,
  STAGE_LIMIT_FACTOR,
  type ExecutedSteps,
  type PlannedTask,
  type StepRecord,
} from './planned-task.ts';

/** Number of earlier user messages in the prompt of a step, with the answers to them. */
const HISTORY_SIZE = 5;
/** Number of leading messages that stay: system prompt and task. */
const FIXED_MESSAGES = 2;

export class StepStage {
  readonly #planned: PlannedTask;
  readonly #conversation: Conversation;
  /** All messages of the steps, including those that prompts no longer contain. */
  readonly #said: ChatMessage[] = [];
  readonly #iterationsBefore: number;
  #shownPlan = '';
  #isOpeningRecorded = false;

  /** `conversation`: contains system prompt and task. */
  constructor(planned: PlannedTask, conversation: Conversation) {
    this.#planned = planned;
    this.#conversation = conversation;
    this.#iterationsBefore = planned.run.totals.iterations;
  }

  /** Works on the steps in order, until a critical one fails. Rejects only on bugs and storage errors. */
  async run(steps: readonly PlanStep[]): Promise<ExecutedSteps> {
    const records: StepRecord[] = [];
    for (const [index, step] of steps.entries()) {
      const record = await this.#runStep(step, index, steps.length);
      records.push(record);
      if (record.done || (!step.critical && !endsTask(record.ending))) continue;
      const what = `step ${index + 1} of ${steps.length} failed: ${record.ending.detail ?? record.ending.reason}`;
      return {
        records,
        stopped: endsTask(record.ending) ? record.ending : { ...record.ending, detail: what },
      };
    }
    return { records };
  }

  /** Works on one more turn after the steps, to repair failed checks. */
  async correct(text: string, number: number): Promise<StepRecord> {
    const step = { description: `Corrective round ${number}`, critical: true };
    const own = { name: `correct-${number}`, isCorrective: true };
    return this.#work(step, own, { role: 'user', content: text });
  }

  /** Returns the conversation for the summary, limited to `maxChars`. */
  transcript(maxChars: number): string {
    return transcriptOf(this.#said, maxChars);
  }

  async #runStep(step: PlanStep, index: number, count: number): Promise<StepRecord> {
    const { plan, run } = this.#planned;
    const number = index + 1;
    run.emit({ event_type: 'status', text: `Step ${number} of ${count}: ${step.description}` });
    const message = stepMessage({ number, count, ...step });
    const own = { name: `step-${number}`, shouldChangeFiles: this.#shouldChangeFiles(step) };
    const record = await this.#work(step, own, message);
    const why = record.ending.detail ?? record.ending.reason;
    plan.markStep(index, record.done ? { completed: true } : { completed: false, notes: `failed: ${why}` });
    return record;
  }

  async #work(step: PlanStep, own: StageOptions, message: ChatMessage): Promise<StepRecord> {
    const { run, loop, plan } = this.#planned;
    this.#open(message);
    // The model may have given up in an earlier step.
    plan.setStatus('in_progress');
    const { totals } = run;
    const ending = await loop.work({
      ...own,
      turns: { maxTurns: Math.min(MAX_STEP_ITERATIONS, this.#turnsLeft()), turnsBefore: totals.iterations },
      corrections: newCorrectionBudget(),
    });
    const { messages } = this.#conversation;
    this.#said.push(...messages.slice(messages.indexOf(message)));
    const { status } = plan.plan;
    const gaveUp = status === 'failed' || status === 'blocked';
    return {
      step,
      done: ending.reason === 'final_answer' && !gaveUp,
      ending: gaveUp ? { ...ending, detail: `the model set the plan to ${status}` } : ending,
      tools: loop.tools.takeUsedTools(),
    };
  }

  /** Bounds the conversation, then appends the step, after the plan if it changed. */
  #open(message: ChatMessage): void {
    const { plan, run } = this.#planned;
    this.#boundConversation();
    const shown = plan.textForPrompt();
    const opening = shown === this.#shownPlan ? [message] : [planMessage(shown), message];
    this.#shownPlan = shown;
    for (const one of opening) this.#conversation.add(one);
    recordOpening(this.#isOpeningRecorded ? opening : this.#conversation.messages, run.observer);
    this.#isOpeningRecorded = true;
  }

  /** Trims the conversation to its opening and its recent messages. If nothing is older it stays unchanged, and so does the cached prefix. */
  #boundConversation(): void {
    const { messages } = this.#conversation;
    const earlier = messages.slice(FIXED_MESSAGES);
    const recent = recentMessages(earlier, HISTORY_SIZE);
    if (recent.length === earlier.length) return;
    this.#conversation.replaceMessages([...messages.slice(0, FIXED_MESSAGES), ...recent]);
  }

  #turnsLeft(): number {
    const { limits, totals } = this.#planned.run;
    const used = totals.iterations - this.#iterationsBefore;
    return Math.max(0, limits.maxIterations * STAGE_LIMIT_FACTOR - used);
  }

  /** Returns whether the step names a tool that changes files. */
  #shouldChangeFiles({ tool }: PlanStep): boolean {
    const known = tool === undefined ? undefined : this.#planned.loop.tools.registry.get(tool);
    return known?.changes === 'files';
  }
}
