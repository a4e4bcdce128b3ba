/** Solves a task in the simple way: one streamed answer without tools, continued after failed checks. */
import { buildTaskMessage } from '../prompt/task-message.ts';
import { ask } from '../model-calls/ask.ts';
import { Conversation } from '../model-calls/conversation.ts';
import type { Stage } from '../model-calls/stage.ts';
import type { ReadyModel } from '../model-calls/models/task-models.ts';
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { Attempt, Way } from '../solve/way.ts';

export function openSingleShotWay({ run, models }: Attempt): Way {
  const model = models.ownModel;
  const firstMessage = [buildQuestion(run, model), run.attempt?.earlierSummary].filter(Boolean).join('\n\n');
  const conversation = Conversation.createPlain(firstMessage);
  const turns = { maxTurns: run.limits.maxIterations, turnsBefore: run.totals.iterations };
  const stage = { run, model, purpose: 'simple' as const, conversation, turns };
  const answerStage = (name: string) => answerOnce({ ...stage, name });
  return {
    run: () => answerStage('run'),
    correct: (message, number) => {
      conversation.add({ role: 'user', content: message });
      return answerStage(`correct-${number}`);
    },
  };
}

/** Returns the question. If the task has only a description, the question is that description. */
function buildQuestion({ task, workspace }: TaskRun, { session }: ReadyModel): string {
  const hasOnlyDescription =
    !task.repo &&
    task.success_criteria.length === 0 &&
    task.file_hints.length === 0 &&
    task.verification_steps.length === 0;
  const { hasEarlierWork } = workspace;
  const { windowTokens } = session;
  return hasOnlyDescription ? task.description : buildTaskMessage(task, { hasEarlierWork, windowTokens });
}

/** Asks once and returns the ending. Rejects only on bugs and storage errors. */
async function answerOnce(stage: Stage): Promise<Ending> {
  const { run, conversation } = stage;
  const lastMessage = conversation.messages.at(-1);
  if (lastMessage) run.observer?.recordMessage('USER', lastMessage.content);
  const outcome = await ask(stage, 1);
  if (!outcome.ok) return outcome.ending;
  run.observer?.recordRoundEnd();
  const { reply } = outcome;
  const content = reply.message.content.trim();
  if (content === '') return { reason: 'nudge_exhausted', detail: 'the model gave an empty answer' };
  run.totals.lastText = content;
  if (reply.doneReason === 'length') {
    run.emit({ event_type: 'status', text: 'Warning: the answer was cut off at the length limit' });
  }
  conversation.addAnswer(reply, { type: 'final_answer', content });
  return { reason: 'final_answer', output: content };
}
