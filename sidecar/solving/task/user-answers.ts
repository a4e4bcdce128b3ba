/** Records the answers of users to approval requests, so that a resumed task gets them and asks no question twice. */
import type { ApprovalAnswer, AskUser } from '../../base/ports.ts';
import { USER_ANSWER_PREFIX } from './journal.ts';
import type { TaskControl } from './task-control.ts';

/** Returns an `AskUser` that records its answers in the journal. A request that a stop interrupted is asked again after a resume. */
export const recordUserAnswers =
  (ask: AskUser, { journal }: Pick<TaskControl, 'journal'>): AskUser =>
  async (request, wait) => {
    const fact = journal.createNextFact('result', `${USER_ANSWER_PREFIX}${request.kind} `, request.summary);
    const recordedAnswer = journal.recall(fact);
    if (recordedAnswer !== undefined) return recordedAnswer as ApprovalAnswer;
    const answer = await ask(request, wait);
    if (wait.signal?.aborted !== true) await journal.recordDurably(fact, answer);
    return answer;
  };
