/**
 * The order in which waiting tasks are begun: as they came, but those whose model is loaded first, so that a model is
 * loaded for many tasks and not for each. None is passed over for longer than `maxPassedOverMs`.
 */
import type { QueueAddOptions } from 'p-queue';
import type { Clock } from '../ports.ts';

type Run = () => Promise<unknown>;

export interface TaskOrderOptions extends QueueAddOptions {
  /** The model that it names. */
  model?: string;
}

export interface OrderRules {
  clock: Clock;
  maxPassedOverMs: number;
  /** Whether another model would have to go for it; undefined: the task names none. */
  wouldSwap: (model: string | undefined) => boolean;
}

interface Waiting {
  run: Run;
  model: string | undefined;
  id: string | undefined;
  /** When another one was begun before it for the first time. */
  passedOverAtMs?: number;
}

/** The tasks that wait, in the order in which they are begun. */
export class TaskOrder {
  readonly #rules: OrderRules;
  #waiting: Waiting[] = [];

  constructor(rules: OrderRules) {
    this.#rules = rules;
  }

  get size(): number {
    return this.#waiting.length;
  }

  enqueue(run: Run, options: Partial<TaskOrderOptions> = {}): void {
    this.#waiting.push({ run, model: options.model, id: options.id });
  }

  dequeue(): Run | undefined {
    const nowMs = this.#rules.clock.monotonicMs();
    const isDue = ({ passedOverAtMs }: Waiting) =>
      passedOverAtMs !== undefined && nowMs - passedOverAtMs >= this.#rules.maxPassedOverMs;
    const next =
      this.#waiting.find(isDue) ??
      this.#waiting.find(({ model }) => !this.#rules.wouldSwap(model)) ??
      this.#waiting[0];
    if (!next) return undefined;
    for (const one of this.#waiting.slice(0, this.#waiting.indexOf(next))) one.passedOverAtMs ??= nowMs;
    this.#waiting = this.#waiting.filter((one) => one !== next);
    return next.run;
  }

  /** All that wait have one priority. */
  filter(): Run[] {
    return this.#waiting.map(({ run }) => run);
  }

  setPriority(): void {}

  remove(idOrRun: string | Run): void {
    this.#waiting = this.#waiting.filter(({ id, run }) => id !== idOrRun && run !== idOrRun);
  }
}

/** A class for p-queue, which makes its queue itself. */
export const taskOrder = (rules: OrderRules): new () => TaskOrder =>
  class extends TaskOrder {
    constructor() {
      super(rules);
    }
  };
