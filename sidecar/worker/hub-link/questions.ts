/** Asks users questions through the hub. A question is repeated after a reconnect, until its timeout. */
import type { ApprovalAnswer, ApprovalRequest, Clock } from '../../base/ports.ts';
import type { HubFrame } from '../../base/protocol/hub-frames.ts';
import { onAbort } from '../../base/system/on-abort.ts';

interface OpenQuestion {
  request: ApprovalRequest;
  end: (answer: ApprovalAnswer) => void;
}

const keyOf = ({ task_id: taskId, approval_id: id }: Pick<ApprovalRequest, 'task_id' | 'approval_id'>) =>
  JSON.stringify([taskId, id]);

export class OpenQuestions {
  readonly #clock: Clock;
  /** Open questions, keyed by task and question: two tasks may use the same question name. */
  readonly #questions = new Map<string, OpenQuestion>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ask(request: ApprovalRequest, wait: { timeoutMs: number; signal?: AbortSignal }): Promise<ApprovalAnswer> {
    const key = keyOf(request);
    return new Promise((resolve) => {
      const end = (answer: ApprovalAnswer): void => {
        // A newer question may have replaced this one.
        if (this.#questions.get(key) === question) this.#questions.delete(key);
        cancelTimeout();
        resolve(answer);
      };
      const question: OpenQuestion = { request, end };
      const cancelTimeout = this.#clock.schedule(wait.timeoutMs, () => end({ ok: false, reason: 'timeout' }));
      this.#questions.set(key, question);
      onAbort(wait.signal, () => end({ ok: false, reason: 'aborted' }));
    });
  }

  list(): ApprovalRequest[] {
    return [...this.#questions.values()].map(({ request }) => request);
  }

  onAnswer({ decision, text, ...key }: Extract<HubFrame, { type: 'approval_response' }>): void {
    this.#questions.get(keyOf(key))?.end({ ok: true, decision, ...(text !== undefined && { text }) });
  }

  /** Ends the questions of a task, or all of them. */
  end(reason: 'unsupported' | 'aborted' | 'stopped', taskId?: string): void {
    for (const { request, end } of this.#questions.values()) {
      if (taskId === undefined || request.task_id === taskId) end({ ok: false, reason });
    }
  }
}
