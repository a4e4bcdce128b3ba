/** Words of people who are asked: a task that is resumed gets the same ones and asks nobody twice. */
import { createHash } from 'node:crypto';
import type { ApprovalAnswer, AskPerson } from '../../base/ports.ts';
import { PERSON, type Journal } from './journal.ts';

/** Returns the line to people with a memory. A task that is being stopped asks again when it is resumed. */
export const rememberedPerson =
  (ask: AskPerson, journal: Journal): AskPerson =>
  async (request, wait) => {
    const words = createHash('sha256').update(request.summary).digest('hex');
    const fact = journal.next('result', `${PERSON}${request.kind} ${words}`);
    const past = journal.recall(fact);
    if (past !== undefined) return past as ApprovalAnswer;
    const answer = await ask(request, wait);
    if (wait.signal?.aborted !== true) journal.record({ ...fact, body: answer });
    return answer;
  };
