/**
 * Keeps a task's plan and its document on disk. A document that cannot be read is repaired by the model once; if that fails
 * it is renamed and a new plan begins. It is never overwritten. Writes are atomic, secrets masked. A failing disk is logged
 * once; the plan is then kept in memory.
 */
import { readFile, rename } from 'node:fs/promises';
import { renameSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { errorCode, errorMessage } from '../values/errors.ts';
import type { Clock, Logger } from '../ports.ts';
import type { PlanSink, PlanUpdate } from '../tools/types.ts';
import { changedPlan, emptyPlan, type Plan } from './plan.ts';
import { MAX_PLAN_CHARS, parsePlan } from './parse.ts';
import { serializePlan } from './serialize.ts';
import { applySummary, applyUpdate, resultOf, type StageSummary } from './update.ts';

/** Prompts carry this many of the newest log entries. */
const LOG_ENTRIES_IN_PROMPT = 10;
/** Characters of a broken document in the question for its repair. */
const MAX_REPAIR_CHARS = 24_000;

export interface PlanManagerOptions {
  /** The document's path; its folder exists. Without one the plan is kept in memory only. */
  file?: string;
  clock: Pick<Clock, 'now'>;
  logger?: Logger;
  /** Masks secrets in every text of the plan before it is written. */
  maskDeep?: <T>(value: T) => T;
  /** Asks the model to repair a document, at most once; undefined when it gave no answer. Must not reject. */
  repair?: (prompt: string) => Promise<string | undefined>;
  /** The plan to begin with where there is no document that can be read. */
  initial?: { goal?: string; criteria?: readonly string[] };
  /** Hears of each change; must not throw. */
  onChange?: (plan: Plan) => void;
}

export class PlanManager implements PlanSink {
  readonly #options: PlanManagerOptions;
  #plan: Plan;
  #isUnwritten = false;

  private constructor(options: PlanManagerOptions, plan: Plan) {
    this.#options = options;
    this.#plan = plan;
  }

  /** Reads the document or begins a new one, and writes it. Never rejects for a broken or missing document. */
  static async open(options: PlanManagerOptions): Promise<PlanManager> {
    const plan =
      (await readOrRepair(options)) ?? emptyPlan({ nowMs: options.clock.now(), ...options.initial });
    const manager = new PlanManager(options, plan);
    manager.#write();
    return manager;
  }

  get plan(): Plan {
    return this.#plan;
  }

  /** `update_plan`: the plan's new state in one line. */
  update(args: PlanUpdate): string {
    const { plan, summary } = applyUpdate(this.#plan, args, { nowMs: this.#nowMs });
    this.#replace(plan);
    return summary;
  }

  /** A stage's summary into the log. */
  addSummary(summary: StageSummary): void {
    const { action } = summary.log_entry;
    const text = resultOf(summary);
    const isLogged = this.#plan.executionLog.some(
      (entry) => entry.action === action && entry.result === text,
    );
    if (!isLogged) this.#replace(applySummary(this.#plan, summary, { nowMs: this.#nowMs }));
  }

  /** The steps of the plan, unless it has some: a task that continues after a crash keeps their states. */
  begin(steps: readonly string[]): void {
    if (this.#plan.steps) return;
    const open = steps.map((description) => ({ description, completed: false }));
    this.#change({ status: 'in_progress', steps: open });
  }

  /** Sets the state of a step (from 0); `notes` says why it is not done. */
  markStep(index: number, outcome: { completed: boolean; notes?: string }): void {
    const marked = this.#plan.steps?.map((step, at) =>
      at === index ? { description: step.description, ...outcome } : step,
    );
    if (marked) this.#change({ steps: marked });
  }

  setStatus(status: Plan['status']): void {
    this.#change({ status });
  }

  get #nowMs(): number {
    return this.#options.clock.now();
  }

  #change(changes: Partial<Plan>): void {
    this.#replace(changedPlan(this.#plan, changes, this.#nowMs));
  }

  /** Adopts a new state. An equal one changes nothing, so that a change can be repeated after a crash. */
  #replace(plan: Plan): void {
    if (saysTheSame(plan, this.#plan)) return;
    this.#plan = plan;
    this.#write();
    this.#options.onChange?.(plan);
  }

  /** The document as it goes into prompts: whole but for the older entries of its log. */
  textForPrompt(): string {
    return serializePlan({
      ...this.#plan,
      executionLog: this.#plan.executionLog.slice(-LOG_ENTRIES_IN_PROMPT),
    });
  }

  // Synchronous: plans are small and change seldom, and the tool needs its answer at once.
  #write(): void {
    const { file, maskDeep = (value) => value, logger } = this.#options;
    if (file === undefined) return;
    const temporary = `${file}.${process.pid}.tmp`;
    try {
      writeFileSync(temporary, serializePlan(maskDeep(this.#plan)), { mode: 0o600 });
      renameSync(temporary, file);
      this.#isUnwritten = false;
    } catch (error) {
      const message = `The plan could not be written to ${file}: ${errorMessage(error)}. Free disk space or check its rights.`;
      if (!this.#isUnwritten) logger?.warn({ file, code: 'plan_not_written' }, message);
      this.#isUnwritten = true;
    }
  }
}

const saysTheSame = (a: Plan, b: Plan): boolean =>
  isDeepStrictEqual({ ...a, metadata: undefined }, { ...b, metadata: undefined });

async function readOrRepair(options: PlanManagerOptions): Promise<Plan | undefined> {
  const { file, clock, logger, repair } = options;
  const text = file === undefined ? undefined : await readDocument(file);
  if (file === undefined || text === undefined) return undefined;
  const first = parsePlan(text, { nowMs: clock.now() });
  if (first.success) return first.plan;
  const repaired = await repair?.(
    `${first.error.suggestedPrompt}\n\nThe document:\n\n${text.slice(0, MAX_REPAIR_CHARS)}`,
  );
  const second = repaired === undefined ? undefined : parsePlan(repaired, { nowMs: clock.now() });
  const kept = `${file}.broken-${new Date(clock.now()).toISOString()}`;
  try {
    await rename(file, kept);
    logger?.warn({ file, kept, repaired: second?.success ?? false }, first.error.message);
  } catch (error) {
    logger?.warn({ file }, `${first.error.message} It could not be kept beside: ${errorMessage(error)}`);
  }
  return second?.success ? second.plan : undefined;
}

/** Undefined where there is no document; one that is too large or unreadable counts as broken. */
async function readDocument(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    return text.length > MAX_PLAN_CHARS ? text.slice(0, MAX_PLAN_CHARS + 1) : text;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    return `unreadable: ${errorMessage(error)}`;
  }
}
