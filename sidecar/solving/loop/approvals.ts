/**
 * Questions of a task to users: a summary, a question, a dangerous command, each by its policy. A user is asked through the
 * hub and waited for with signs of life; if no user can be asked or answers in time, the policy `auto` applies.
 */
import { createHash } from 'node:crypto';
import type { ApprovalAnswer } from '../../base/ports.ts';
import { STATUS_INTERVAL_MS } from '../../base/protocol/limits.ts';
import { every } from '../../base/system/clock.ts';
import type { TaskRun } from '../task/task-run.ts';

type Kind = 'summary' | 'question' | 'command';
type Decision = Extract<ApprovalAnswer, { ok: true }>;

/** The decision on a summary; `corrected` brings a user's text. */
type SummaryVerdict =
  { decision: 'accepted' } | { decision: 'rejected' } | { decision: 'corrected'; text: string };

/** The answer of the policy `auto` to a question. */
const DECIDE_YOURSELF = 'Nobody can answer now. Decide yourself and write down why in your final answer.';
const NO_QUESTIONS =
  'Questions are not answered here. Go on without an answer; where that is impossible, finish and say what is open.';
/** Longest text that the hub takes. */
const MAX_REQUEST_CHARS = 20_000;

export class Approvals {
  readonly #run: TaskRun;

  constructor(run: TaskRun) {
    this.#run = run;
  }

  /** Whether the model may be offered to ask. */
  get offersQuestions(): boolean {
    return this.#asksPeople('question');
  }

  /** Returns the text that goes back to the model. Rejects only for a failing disk. */
  async question(question: string): Promise<string> {
    if (this.#run.config.approval.question === 'deny') return NO_QUESTIONS;
    const answer = await this.#ask('question', question);
    if (!answer) return DECIDE_YOURSELF;
    const words = answer.text?.trim();
    if (answer.decision === 'rejected') return words ? `No. ${words}` : 'No.';
    return words || 'Yes.';
  }

  /** A task has one summary. Rejects only for a failing disk. */
  async summary(text: string): Promise<SummaryVerdict> {
    if (this.#run.config.approval.summary === 'deny') return { decision: 'rejected' };
    const answer = await this.#ask('summary', text);
    if (!answer || answer.decision === 'accepted') return { decision: 'accepted' };
    const words = answer.text?.trim();
    return answer.decision === 'corrected' && words
      ? { decision: 'corrected', text: words }
      : { decision: 'rejected' };
  }

  /**
   * Why a command that the deny list caught must not run, undefined if a person allowed it. `refusal` is the list's
   * own sentence.
   */
  async command(command: string, refusal: string): Promise<string | undefined> {
    if (!this.#asksPeople('command')) return refusal;
    const answer = await this.#ask('command', `${refusal}\n\n${command}`);
    if (!answer) return refusal;
    if (answer.decision === 'accepted') return undefined;
    const words = answer.text?.trim();
    return words ? `${refusal}. A person was asked and said: ${words}` : `${refusal}. A person refused it.`;
  }

  #asksPeople(kind: Kind): boolean {
    return this.#run.config.approval[kind] === 'hub' && this.#run.askPerson !== undefined;
  }

  /** Returns a user's decision; undefined if `auto` applies. */
  async #ask(kind: Kind, text: string): Promise<Decision | undefined> {
    const { task, askPerson, config, control, emit } = this.#run;
    if (!askPerson || config.approval[kind] !== 'hub') return undefined;
    const { timeoutMs } = config.approval;
    const request = {
      task_id: task.task_id,
      // The same words in the same assignment have one id, also after a crash: the hub may have their answer already.
      approval_id: `${task.generation}-${kind}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`,
      kind,
      summary: text.slice(0, MAX_REQUEST_CHARS),
    };
    const stop = this.#signsOfLife(kind);
    const answer = await askPerson(request, { timeoutMs, signal: control.signal }).finally(stop);
    if (answer.ok) {
      emit({ event_type: 'status', text: `A person answered (${kind}): ${answer.decision}` });
      return answer;
    }
    if (answer.reason === 'timeout') {
      const text = `Nobody answered (${kind}) within ${timeoutMs / 1000} s; going on without`;
      emit({ event_type: 'status', text });
    }
    return undefined;
  }

  /** A hub takes a silent task away after a while. */
  #signsOfLife(kind: Kind): () => void {
    const { clock, emit } = this.#run;
    let waitedMs = 0;
    const show = () => {
      const since = waitedMs === 0 ? '' : ` for ${waitedMs / 1000} s`;
      emit({ event_type: 'status', text: `Waiting for a person${since} (${kind})`, droppable: true });
      waitedMs += STATUS_INTERVAL_MS;
    };
    show();
    return every(clock, STATUS_INTERVAL_MS, show);
  }
}
