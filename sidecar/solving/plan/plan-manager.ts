/**
 * Manages a task's plan and writes its document. The document is never read back, since a resumed task rebuilds the plan. Writes are
 * atomic, with secrets masked. A disk failure is logged once; the plan then remains in memory.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { errorMessage } from '../../base/values/errors.ts';
import type { Clock, Logger } from '../../base/ports.ts';
import type { PlanSink, PlanUpdate } from '../../tools/types.ts';
import { createPlan, type Plan } from './plan.ts';
import { serializePlan } from './serialize.ts';
import { applySummary, applyUpdate, type StageSummary } from './update.ts';

/** Maximum number of log entries in a prompt; the newest ones are shown. */
const LOG_ENTRIES_IN_PROMPT = 10;

export interface PlanManagerOptions {
  /** Path of the document, in an existing folder. If undefined, the plan remains in memory. */
  file?: string;
  clock: Pick<Clock, 'now'>;
  logger?: Logger;
  /** Masks secrets in every text of the plan before it is written. */
  maskDeep?: <T>(value: T) => T;
  goal: string;
  criteria: readonly string[];
  /** Called on each change; must not throw. */
  onChange?: (plan: Plan) => void;
}

export class PlanManager implements PlanSink {
  readonly #options: PlanManagerOptions;
  #plan: Plan;
  #isUnwritten = false;

  /** Creates a plan and writes it. */
  constructor(options: PlanManagerOptions) {
    this.#options = options;
    this.#plan = createPlan(options.goal, options.criteria);
    this.#write();
  }

  get plan(): Plan {
    return this.#plan;
  }

  /** Applies a call of `update_plan`. Returns the plan's new state on one line. */
  update(args: PlanUpdate): string {
    const { plan, summary } = applyUpdate(this.#plan, args, this.#nowMs);
    this.#replace(plan);
    return summary;
  }

  /** Adds a stage's summary to the log. */
  addSummary(summary: StageSummary): void {
    this.#replace(applySummary(this.#plan, summary, this.#nowMs));
  }

  /** Replaces all steps by `steps`, marks them as open, and sets the plan to in progress. */
  setSteps(steps: readonly string[]): void {
    const openSteps = steps.map((description) => ({ description, completed: false }));
    this.#change({ status: 'in_progress', steps: openSteps });
  }

  /** Sets the state of a step, counted from 0. `notes` gives the reason if the step is not done. */
  markStep(index: number, outcome: { completed: boolean; notes?: string }): void {
    const markedSteps = this.#plan.steps?.map((step, position) =>
      position === index ? { description: step.description, ...outcome } : step,
    );
    if (markedSteps) this.#change({ steps: markedSteps });
  }

  setStatus(status: Plan['status']): void {
    this.#change({ status });
  }

  get #nowMs(): number {
    return this.#options.clock.now();
  }

  #change(changes: Partial<Plan>): void {
    this.#replace({ ...this.#plan, ...changes });
  }

  /** Replaces the plan, writes it and reports the change. Does nothing if the plan is equal. */
  #replace(plan: Plan): void {
    if (isDeepStrictEqual(plan, this.#plan)) return;
    this.#plan = plan;
    this.#write();
    this.#options.onChange?.(plan);
  }

  /** Formats the document for prompts, with only the newest log entries. */
  formatForPrompt(): string {
    return serializePlan({
      ...this.#plan,
      executionLog: this.#plan.executionLog.slice(-LOG_ENTRIES_IN_PROMPT),
    });
  }

  // Writes synchronously, since plans are small and change rarely, and the tool needs its result at once.
  #write(): void {
    const { file, maskDeep = (value) => value, logger } = this.#options;
    if (file === undefined) return;
    const temporary = `${file}.${process.pid}.tmp`;
    try {
      writeFileSync(temporary, serializePlan(maskDeep(this.#plan)), { mode: 0o600 });
      renameSync(temporary, file);
      this.#isUnwritten = false;
    } catch (error) {
      const message = `The plan could not be written to ${file}: ${errorMessage(error)}. Free disk space, or check the permissions of the folder.`;
      if (!this.#isUnwritten) logger?.warn({ file, code: 'plan_not_written' }, message);
      this.#isUnwritten = true;
    }
  }
}
