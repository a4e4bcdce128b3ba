/** Questions to a person through the hub: asked again after a reconnect, never for ever. */
import type { ApprovalAnswer, ApprovalRequest, Clock } from '../ports.ts';
import { deferred } from './recoveries.ts';

interface Question {
  request: ApprovalRequest;
  end: (answer: ApprovalAnswer) => void;
}

interface Answer extends Pick<ApprovalRequest, 'task_id' | 'approval_id'> {
  decision: 'accepted' | 'rejected' | 'corrected';
  text?: string | undefined;
}

const keyOf = ({
  task_id: taskId,
  approval_id: id,
}: Pick<ApprovalRequest, 'task_id' | 'approval_id'>): string => JSON.stringify([taskId, id]);

export class OpenQuestions {
  readonly #clock: Clock;
  /** By task and name: tasks that do the same name their questions alike. */
  readonly #questions = new Map<string, Question>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ask(request: ApprovalRequest, wait: { timeoutMs: number; signal?: AbortSignal }): Promise<ApprovalAnswer> {
    const { promise, resolve } = deferred<ApprovalAnswer>();
    const key = keyOf(request);
    const question: Question = { request, end: (answer) => end(answer) };
    const end = (answer: ApprovalAnswer) => {
      // A newer question may have its place.
      if (this.#questions.get(key) === question) this.#questions.delete(key);
      cancelTimeout();
      wait.signal?.removeEventListener('abort', abort);
      resolve(answer);
    };
    const abort = () => end({ ok: false, reason: 'aborted' });
    const cancelTimeout = this.#clock.schedule(wait.timeoutMs, () => end({ ok: false, reason: 'timeout' }));
    this.#questions.set(key, question);
    if (wait.signal?.aborted) abort();
    else wait.signal?.addEventListener('abort', abort, { once: true });
    return promise;
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
