/**
 * Questions about tasks of an earlier life (`task_recovering`), asked until they are answered. The public hub says
 * `task_continue` for a task that anybody has: with a generation that this worker does not know, the answer only
 * counts when the assignment itself arrives too.
 */
import type { Clock } from '../ports.ts';
import type { RecoveryAnswer } from './types.ts';

const ASK_AGAIN_MS = 30_000;
/** How long the assignment that belongs to a doubtful answer may take to arrive. */
const DOUBT_MS = 5_000;

interface Question {
  generation: number | undefined;
  askedAtMs: number;
  promise: Promise<RecoveryAnswer>;
  resolve: (answer: RecoveryAnswer) => void;
  cancelDoubt: () => void;
}

export class Recoveries {
  readonly #clock: Clock;
  readonly #questions = new Map<string, Question>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ask(taskId: string, generation?: number): Promise<RecoveryAnswer> {
    const known = this.#questions.get(taskId);
    if (known) return known.promise;
    const { promise, resolve } = deferred<RecoveryAnswer>();
    const question = {
      generation,
      askedAtMs: Number.NEGATIVE_INFINITY,
      promise,
      resolve,
      cancelDoubt: () => undefined,
    };
    this.#questions.set(taskId, question);
    return promise;
  }

  has(taskId: string): boolean {
    return this.#questions.has(taskId);
  }

  /** Tasks to ask for now; they count as asked. */
  due(): { taskId: string; generation: number | undefined }[] {
    const nowMs = this.#clock.monotonicMs();
    const due = [...this.#questions].filter(([, { askedAtMs }]) => nowMs - askedAtMs >= ASK_AGAIN_MS);
    for (const [, question] of due) question.askedAtMs = nowMs;
    return due.map(([taskId, { generation }]) => ({ taskId, generation }));
  }

  /** The connection is another one, or a frame was dropped. */
  askAgain(): void {
    for (const question of this.#questions.values()) question.askedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** `trusted`: the hub says so only of tasks that this very worker has. */
  continued(taskId: string, generation: number | undefined, trusted: boolean): void {
    const question = this.#questions.get(taskId);
    if (!question) return;
    const known = question.generation;
    const current = generation ?? known ?? 0;
    if (trusted || known === undefined || current <= known) {
      this.#answer(taskId, { action: 'continue', generation: current });
      return;
    }
    question.cancelDoubt();
    question.cancelDoubt = this.#clock.schedule(DOUBT_MS, () => this.#answer(taskId, { action: 'reassign' }));
  }

  assigned(taskId: string, generation: number): void {
    this.#answer(taskId, { action: 'continue', generation });
  }

  reassigned(taskId: string): void {
    this.#answer(taskId, { action: 'reassign' });
  }

  stop(): void {
    for (const taskId of this.#questions.keys()) this.#answer(taskId, { action: 'unanswered' });
  }

  #answer(taskId: string, answer: RecoveryAnswer): void {
    const question = this.#questions.get(taskId);
    this.#questions.delete(taskId);
    question?.cancelDoubt();
    question?.resolve(answer);
  }
}

/** A promise with its resolver outside. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
