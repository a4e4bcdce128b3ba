/** Questions to a person through the hub: asked again after a reconnect, never for ever. */
import type { ApprovalAnswer, ApprovalRequest, Clock } from '../ports.ts';
import { deferred } from './recoveries.ts';

interface Question {
  request: ApprovalRequest;
  end: (answer: ApprovalAnswer) => void;
}

export class OpenQuestions {
  readonly #clock: Clock;
  readonly #questions = new Map<string, Question>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ask(request: ApprovalRequest, wait: { timeoutMs: number; signal?: AbortSignal }): Promise<ApprovalAnswer> {
    const { promise, resolve } = deferred<ApprovalAnswer>();
    const end = (answer: ApprovalAnswer) => {
      this.#questions.delete(request.approval_id);
      cancelTimeout();
      wait.signal?.removeEventListener('abort', abort);
      resolve(answer);
    };
    const abort = () => end({ ok: false, reason: 'aborted' });
    const cancelTimeout = this.#clock.schedule(wait.timeoutMs, () => end({ ok: false, reason: 'timeout' }));
    this.#questions.set(request.approval_id, { request, end });
    if (wait.signal?.aborted) abort();
    else wait.signal?.addEventListener('abort', abort, { once: true });
    return promise;
  }

  all(): ApprovalRequest[] {
    return [...this.#questions.values()].map(({ request }) => request);
  }

  answered(approvalId: string, decision: 'accepted' | 'rejected' | 'corrected', text?: string): void {
    this.#questions.get(approvalId)?.end({ ok: true, decision, ...(text !== undefined && { text }) });
  }

  /** Ends the questions of a task, or all of them. */
  end(reason: 'unsupported' | 'aborted' | 'stopped', taskId?: string): void {
    for (const { request, end } of this.#questions.values()) {
      if (taskId === undefined || request.task_id === taskId) end({ ok: false, reason });
    }
  }
}
