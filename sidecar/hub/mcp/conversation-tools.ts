/** Tools for an existing task: submit its follow-up, steer its model, answer its question. */
import * as z from 'zod';
import { factsOf, taskIdSchema } from './task-tools.ts';
import { createFailedAnswer, createDataAnswer, shortenTaskLine, declareTool } from './tool.ts';

const textSchema = z.string().trim().min(1).max(20_000);

export const followUpTaskTool = declareTool({
  name: 'follow_up_task',
  description: 'Submit the follow-up of a partial result as a new task. A second call returns the same task.',
  input: z.strictObject({ task_id: taskIdSchema }),
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  async run({ task_id: id }, { hub }) {
    const task = await hub.followUp(id);
    return createDataAnswer(
      factsOf(task),
      `task_id: ${task.task_id}\nstatus: ${task.status}\nnext: wait_for_task`,
    );
  },
});

export const steerTaskTool = declareTool({
  name: 'steer_task',
  description:
    'Send a text to the model of a queued or running task; the model receives it before its next answer.',
  input: z.strictObject({ task_id: taskIdSchema, text: textSchema }),
  hints: { readOnlyHint: false, destructiveHint: false },
  async run({ task_id: id, text: words }, { hub }) {
    const { steer_id: steerId } = await hub.steer(id, words);
    return createDataAnswer(
      { task_id: id, steer_id: steerId },
      `The model of ${id} receives the text before its next answer.`,
    );
  },
});

export const answerTaskTool = declareTool({
  name: 'answer_task',
  description:
    'Answer the question of a task (task_status shows `asks a user`). Only a token of role admin may allow a command.',
  input: z.strictObject({
    task_id: taskIdSchema,
    decision: z.enum(['accepted', 'rejected', 'corrected']).describe('"corrected" requires a text'),
    text: textSchema.optional(),
  }),
  hints: { readOnlyHint: false, destructiveHint: true },
  async run({ task_id: id, decision, text: words }, { hub }) {
    if (decision === 'corrected' && words === undefined)
      return createFailedAnswer('"corrected" needs a `text`.');
    const request = (await hub.task(id)).approvals?.find(({ status }) => status === 'pending');
    if (!request) return createFailedAnswer(`Task ${id} has no open question.`);
    const { status } = await hub.answer(id, {
      approval_id: request.approval_id,
      decision,
      ...(words !== undefined && { text: words }),
    });
    return createDataAnswer(
      { task_id: id, status },
      `Answered (${status}): ${shortenTaskLine(request.summary)}`,
    );
  },
});
