/**
 * Sends approval requests of a task to users: for a summary, a question or a dangerous command, each by its policy. Requests are sent to
 * the hub, with status events while they wait. If no user can be asked or answers in time, the policy `auto` applies.
 */
import { createHash } from 'node:crypto';
import type { ApprovalAnswer } from '../../base/ports.ts';
import { STATUS_INTERVAL_MS } from '../../base/protocol/limits.ts';
import { runEvery } from '../../base/system/clock.ts';
import type { TaskRun } from './task-run.ts';

type ApprovalKind = 'summary' | 'question' | 'command';
type UserDecision = Extract<ApprovalAnswer, { ok: true }>;

/** The decision on a summary; `corrected` contains a user's text. */
type SummaryVerdict =
  { decision: 'accepted' } | { decision: 'rejected' } | { decision: 'corrected'; text: string };

/** The answer of the policy `auto` to a question. */
const NO_USER_REPLY = 'No user can answer now. Decide yourself and write down why in your final answer.';
const QUESTIONS_DENIED_REPLY =
  'No user answers questions in this task. Continue without an answer; if that is impossible, finish and report the open question.';
/** Maximum length of a request that the hub accepts. */
const MAX_REQUEST_CHARS = 20_000;

export class Approvals {
  readonly #run: TaskRun;

  constructor(run: TaskRun) {
    this.#run = run;
  }

  /** Whether the model may ask questions. */
  get offersQuestions(): boolean {
    return this.#asksUsers('question');
  }

  /** Asks a question. Returns the text for the model. Rejects only on a storage error. */
  async askQuestion(question: string): Promise<string> {
    if (this.#run.config.approval.question === 'deny') return QUESTIONS_DENIED_REPLY;
    const answer = await this.#ask('question', question);
    if (!answer) return NO_USER_REPLY;
    const words = answer.text?.trim();
    if (answer.decision === 'rejected') return words ? `No. ${words}` : 'No.';
    return words || 'Yes.';
  }

  /** Asks for approval of the task's only summary. Rejects only on a storage error. */
  async approveSummary(text: string): Promise<SummaryVerdict> {
    if (this.#run.config.approval.summary === 'deny') return { decision: 'rejected' };
    const answer = await this.#ask('summary', text);
    if (!answer || answer.decision === 'accepted') return { decision: 'accepted' };
    const words = answer.text?.trim();
    return answer.decision === 'corrected' && words
      ? { decision: 'corrected', text: words }
      : { decision: 'rejected' };
  }

  /**
   * Asks for approval of a command on the deny list. Returns the reason why it must not run; undefined if a user allowed it. `refusal` is
   * the deny list's reason.
   */
  async approveCommand(command: string, refusal: string): Promise<string | undefined> {
    if (!this.#asksUsers('command')) return refusal;
    const answer = await this.#ask('command', `${refusal}\n\n${command}`);
    if (!answer) return refusal;
    if (answer.decision === 'accepted') return undefined;
    const words = answer.text?.trim();
    return words ? `${refusal}. A user answered: ${words}` : `${refusal}. A user refused the command.`;
  }

  #asksUsers(kind: ApprovalKind): boolean {
    return this.#run.config.approval[kind] === 'hub' && this.#run.askUser !== undefined;
  }

  /** Returns a user's decision; undefined if `auto` applies. */
  async #ask(kind: ApprovalKind, text: string): Promise<UserDecision | undefined> {
    const { task, askUser, config, control, emit } = this.#run;
    if (!askUser || config.approval[kind] !== 'hub') return undefined;
    const { timeoutMs } = config.approval;
    const request = {
      task_id: task.task_id,
      // Equal requests in one assignment have the same id, also after a crash, since the hub may already have the answer.
      approval_id: `${task.generation}-${kind}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`,
      kind,
      summary: text.slice(0, MAX_REQUEST_CHARS),
    };
    const stop = this.#emitWaiting(kind);
    const answer = await askUser(request, { timeoutMs, signal: control.signal }).finally(stop);
    if (answer.ok) {
      emit({ event_type: 'status', text: `A user answered (${kind}): ${answer.decision}` });
      return answer;
    }
    if (answer.reason === 'timeout') {
      const text = `No user answered (${kind}) within ${timeoutMs / 1000} s; the task continues without an answer`;
      emit({ event_type: 'status', text });
    }
    return undefined;
  }

  /**
   * Emits status events while a request waits, since a hub takes back a task that emits nothing for a while. Returns a function that stops
   * them.
   */
  #emitWaiting(kind: ApprovalKind): () => void {
    const { clock, emit } = this.#run;
    let waitedMs = 0;
    const show = () => {
      const since = waitedMs === 0 ? '' : `, ${waitedMs / 1000} s`;
      emit({ event_type: 'status', text: `Waiting for a user's answer (${kind}${since})`, droppable: true });
      waitedMs += STATUS_INTERVAL_MS;
    };
    show();
    return runEvery(clock, STATUS_INTERVAL_MS, show);
  }
}
