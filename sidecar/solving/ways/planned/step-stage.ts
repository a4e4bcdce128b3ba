/**
 * Runs stage 2 of a planned task: each step is a loop stage in one growing conversation. System prompt and task come first and never
 * change. Of the later messages, only the last user messages and the answers to them remain. A changed plan is appended.
 */
import type { ChatMessage } from '../../../model/chat.ts';
import type { PlanStep } from '../../plan/task-list.ts';
import { buildPlanMessage } from '../../prompt/loop-messages.ts';
import { buildStepMessage, formatTranscript } from '../../prompt/stage-messages.ts';
import { selectRecentMessages } from '../../session/recent-messages.ts';
import { recordOpening } from '../../model-calls/first-message.ts';
import type { StageOptions } from '../../loop/agent-loop.ts';
import { createCorrectionBudget } from '../../loop/loop-stage.ts';
import type { Conversation } from '../../model-calls/conversation.ts';
import {
  endsTask,
  MAX_STEP_ITERATIONS,
  STEPS_LIMIT_FACTOR,
  type StepResults,
  type PlannedTask,
  type StepRecord,
} from './planned-task.ts';

/** Number of earlier user messages, with the answers to them, in the prompt of a step. */
const HISTORY_SIZE = 5;
/** Number of leading messages that always remain: system prompt and task. */
const FIXED_MESSAGE_COUNT = 2;

export class StepStage {
  readonly #plannedTask: PlannedTask;
  readonly #conversation: Conversation;
  /** All messages of the steps, including messages that were trimmed from the prompt. */
  readonly #allMessages: ChatMessage[] = [];
  readonly #iterationsBefore: number;
  #shownPlan = '';
  #isOpeningRecorded = false;

  /** `conversation` contains the system prompt and the task. */
  constructor(planned: PlannedTask, conversation: Conversation) {
    this.#plannedTask = planned;
    this.#conversation = conversation;
    this.#iterationsBefore = planned.run.totals.iterations;
  }

  /** Works on the steps in order, until a critical step fails. Rejects only on bugs and storage errors. */
  async run(steps: readonly PlanStep[]): Promise<StepResults> {
    const records: StepRecord[] = [];
    for (const [index, step] of steps.entries()) {
      const record = await this.#runStep(step, index, steps.length);
      records.push(record);
      if (record.done || (!step.critical && !endsTask(record.ending))) continue;
      const detail = `step ${index + 1} of ${steps.length} failed: ${record.ending.detail ?? record.ending.reason}`;
      return {
        records,
        earlyEnding: endsTask(record.ending) ? record.ending : { ...record.ending, detail },
      };
    }
    return { records };
  }

  /** Runs one more stage after the steps, in which the model repairs failed checks. */
  async correct(text: string, number: number): Promise<StepRecord> {
    const step = { description: `Correction ${number}`, critical: true };
    const stageOptions = { name: `correct-${number}`, isCorrective: true };
    return this.#work(step, stageOptions, { role: 'user', content: text });
  }

  /** Returns the conversation for the summary, with at most `maxChars` characters. */
  formatTranscript(maxChars: number): string {
    return formatTranscript(this.#allMessages, maxChars);
  }

  async #runStep(step: PlanStep, index: number, count: number): Promise<StepRecord> {
    const { plan, run } = this.#plannedTask;
    const number = index + 1;
    run.emit({ event_type: 'status', text: `Step ${number} of ${count}: ${step.description}` });
    const message = buildStepMessage({ number, stepCount: count, ...step });
    const stageOptions = { name: `step-${number}`, shouldChangeFiles: this.#shouldChangeFiles(step) };
    const record = await this.#work(step, stageOptions, message);
    const reason = record.ending.detail ?? record.ending.reason;
    plan.markStep(
      index,
      record.done ? { completed: true } : { completed: false, notes: `failed: ${reason}` },
    );
    return record;
  }

  async #work(step: PlanStep, stageOptions: StageOptions, message: ChatMessage): Promise<StepRecord> {
    const { run, loop, plan } = this.#plannedTask;
    this.#appendStep(message);
    // An earlier step may have set the plan to failed or blocked.
    plan.setStatus('in_progress');
    const { totals } = run;
    const ending = await loop.runStage({
      ...stageOptions,
      turns: {
        maxTurns: Math.min(MAX_STEP_ITERATIONS, this.#countTurnsLeft()),
        turnsBefore: totals.iterations,
      },
      corrections: createCorrectionBudget(),
    });
    const { messages } = this.#conversation;
    this.#allMessages.push(...messages.slice(messages.indexOf(message)));
    const { status } = plan.plan;
    const gaveUp = status === 'failed' || status === 'blocked';
    return {
      step,
      done: ending.reason === 'final_answer' && !gaveUp,
      ending: gaveUp ? { ...ending, detail: `the model set the status of the plan to ${status}` } : ending,
      tools: loop.tools.takeUsedTools(),
    };
  }

  /** Trims the conversation, then appends the message of the step, preceded by the plan if it changed. */
  #appendStep(message: ChatMessage): void {
    const { plan, run } = this.#plannedTask;
    this.#trimConversation();
    const planText = plan.formatForPrompt();
    const opening = planText === this.#shownPlan ? [message] : [buildPlanMessage(planText), message];
    this.#shownPlan = planText;
    for (const openingMessage of opening) this.#conversation.add(openingMessage);
    recordOpening(this.#isOpeningRecorded ? opening : this.#conversation.messages, run.observer);
    this.#isOpeningRecorded = true;
  }

  /**
   * Trims the conversation to its opening and its recent messages. If there are no older messages, the conversation and the server's cached
   * prefix stay unchanged.
   */
  #trimConversation(): void {
    const { messages } = this.#conversation;
    const earlier = messages.slice(FIXED_MESSAGE_COUNT);
    const recent = selectRecentMessages(earlier, HISTORY_SIZE);
    if (recent.length === earlier.length) return;
    this.#conversation.replaceMessages([...messages.slice(0, FIXED_MESSAGE_COUNT), ...recent]);
  }

  #countTurnsLeft(): number {
    const { limits, totals } = this.#plannedTask.run;
    const used = totals.iterations - this.#iterationsBefore;
    return Math.max(0, limits.maxIterations * STEPS_LIMIT_FACTOR - used);
  }

  /** Returns whether the step names a tool that changes files. */
  #shouldChangeFiles({ tool }: PlanStep): boolean {
    const registeredTool = tool === undefined ? undefined : this.#plannedTask.loop.tools.registry.get(tool);
    return registeredTool?.changes === 'files';
  }
}
