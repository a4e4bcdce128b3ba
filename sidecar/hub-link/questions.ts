/** Questions that the hub has not answered: about tasks of an earlier run, and for a person. */
import type { ApprovalAnswer, ApprovalRequest, Clock } from '../ports.ts';
import { onAbort } from '../system/on-abort.ts';
import type { RecoveryAnswer } from './types.ts';

const ASK_AGAIN_MS = 30_000;
/** How long the assignment that belongs to a doubtful answer may take to arrive. */
const DOUBT_MS = 5_000;

interface Recovery {
  generation: number | undefined;
  askedAtMs: number;
  resolve: (answer: RecoveryAnswer) => void;
  cancelDoubt: () => void;
}

/**
 * Questions about tasks of an earlier run (`task_recovering`). The public hub says `task_continue` for a task that anybody
 * has: with a generation that this worker does not know, the answer only counts when the assignment itself arrives too.
 */
export class Recoveries {
  readonly #clock: Clock;
  readonly #questions = new Map<string, Recovery>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Once for each task. */
  ask(taskId: string, generation?: number): Promise<RecoveryAnswer> {
    const askedAtMs = Number.NEGATIVE_INFINITY;
    return new Promise((resolve) => {
      this.#questions.set(taskId, { generation, askedAtMs, resolve, cancelDoubt: () => undefined });
    });
  }

  has(taskId: string): boolean {
    return this.#questions.has(taskId);
  }

  /** Tasks to ask for now; they count as asked. */
  due(): string[] {
    const nowMs = this.#clock.monotonicMs();
    const due = [...this.#questions].filter(([, { askedAtMs }]) => nowMs - askedAtMs >= ASK_AGAIN_MS);
    for (const [, question] of due) question.askedAtMs = nowMs;
    return due.map(([taskId]) => taskId);
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
      this.answer(taskId, { action: 'continue', generation: current });
      return;
    }
    question.cancelDoubt();
    question.cancelDoubt = this.#clock.schedule(DOUBT_MS, () => this.answer(taskId, { action: 'reassign' }));
  }

  stop(): void {
    for (const taskId of this.#questions.keys()) this.answer(taskId, { action: 'unanswered' });
  }

  answer(taskId: string, answer: RecoveryAnswer): void {
    const question = this.#questions.get(taskId);
    this.#questions.delete(taskId);
    question?.cancelDoubt();
    question?.resolve(answer);
  }
}

interface ToPerson {
  request: ApprovalRequest;
  end: (answer: ApprovalAnswer) => void;
}

type Named = Pick<ApprovalRequest, 'task_id' | 'approval_id'>;

interface Answer extends Named {
  decision: 'accepted' | 'rejected' | 'corrected';
  text?: string | undefined;
}

const keyOf = ({ task_id: taskId, approval_id: id }: Named): string => JSON.stringify([taskId, id]);

/** Questions to a person through the hub: asked again after a reconnect, never for ever. */
export class OpenQuestions {
  readonly #clock: Clock;
  /** By task and name: tasks that do the same name their questions alike. */
  readonly #questions = new Map<string, ToPerson>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ask(request: ApprovalRequest, wait: { timeoutMs: number; signal?: AbortSignal }): Promise<ApprovalAnswer> {
    const key = keyOf(request);
    return new Promise((resolve) => {
      const end = (answer: ApprovalAnswer): void => {
        // A newer question may have its place.
        if (this.#questions.get(key) === question) this.#questions.delete(key);
        cancelTimeout();
        wait.signal?.removeEventListener('abort', abort);
        resolve(answer);
      };
      const question: ToPerson = { request, end };
      const abort = () => end({ ok: false, reason: 'aborted' });
      const cancelTimeout = this.#clock.schedule(wait.timeoutMs, () => end({ ok: false, reason: 'timeout' }));
      this.#questions.set(key, question);
      onAbort(wait.signal, abort);
    });
  }

  all(): ApprovalRequest[] {
    return [...this.#questions.values()].map(({ request }) => request);
  }

  answered({ decision, text, ...of }: Answer): void {
    this.#questions.get(keyOf(of))?.end({ ok: true, decision, ...(text !== undefined && { text }) });
  }

  /** Ends the questions of a task, or all of them. */
  end(reason: 'unsupported' | 'aborted' | 'stopped', taskId?: string): void {
    for (const { request, end } of this.#questions.values()) {
      if (taskId === undefined || request.task_id === taskId) end({ ok: false, reason });
    }
  }
}
