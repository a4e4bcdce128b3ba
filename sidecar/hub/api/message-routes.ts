/** Messages of users to tasks: steering, approvals and follow-ups. */
import * as z from 'zod';
import { isRecord } from '../../base/values/json.ts';
import { readRequirement } from '../queue/requirements.ts';
import { hubFields, submissionSchema } from '../queue/submission.ts';
import { steerViewOf } from '../queue/views.ts';
import type { ApprovalRow, TaskHead, TaskRow } from '../storage/tables.ts';
import type { Identity } from './authenticator.ts';
import type { ApiContext } from './context.ts';
import { readTask, readWholeTask } from './context.ts';
import { taskParamsSchema } from './inputs.ts';
import { ProblemError } from './problem.ts';
import { declareRoute } from './route.ts';
import type { RouteDeclaration } from './route.ts';
import { approvalSchema, steerSchema } from './schemas.ts';
import { describeCreatedTask, sendTask } from './task-reading.ts';

export const createMessageRoutes = (context: ApiContext): RouteDeclaration[] => [
  createSteerRoute(context),
  createApprovalRoute(context),
  createApprovalListRoute(context),
  createFollowUpRoute(context),
];

const createSteerRoute = (context: ApiContext) =>
  declareRoute({
    method: 'POST',
    path: '/api/tasks/:id/steer',
    role: 'submitter',
    summary: 'Steer a task that is not finished',
    params: taskParamsSchema,
    body: z.object({ text: z.string().trim().min(1).max(20_000) }),
    answers: {
      202: {
        description: 'The message is stored. It is delivered now, or as soon as a worker accepts the task',
        schema: steerSchema,
      },
    },
    handle: async ({ params, body, identity, reply }) => {
      const task = await readTask(context, params.id);
      if (!['queued', 'assigned', 'running'].includes(task.status)) {
        throw new ProblemError(
          'hub_task_state',
          `The task has ended (${task.status}); submit a follow-up instead.`,
        );
      }
      void reply.code(202);
      return steerViewOf(await context.conversations.steer(task, body.text, identity.name));
    },
  });

const createApprovalRoute = (context: ApiContext) =>
  declareRoute({
    method: 'POST',
    path: '/api/tasks/:id/approvals',
    role: 'submitter',
    summary:
      'Answer a question or an approval request of a task. Submitters may answer for their own tasks only; requests for commands require an admin',
    params: taskParamsSchema,
    body: z
      .object({
        approval_id: z.string().min(1).max(256),
        decision: z.enum(['accepted', 'rejected', 'corrected']),
        text: z
          .string()
          .max(20_000)
          .optional()
          .describe('The correction if `decision` is `corrected`; otherwise a note'),
      })
      .refine(({ decision, text }) => decision !== 'corrected' || (text ?? '').trim() !== '', {
        path: ['text'],
        message: 'required for the decision `corrected`: describe the correction',
      }),
    answers: { 200: { description: 'The answered request', schema: approvalSchema } },
    handle: async ({ params, body, identity }) => {
      const task = await readTask(context, params.id);
      const { approval_id: approvalId, decision, text } = body;
      const approval = await context.conversations.readApproval(task.id, approvalId);
      if (!approval)
        throw new ProblemError(
          'hub_approval_not_found',
          'The task has no request with this approval_id; GET /api/tasks/:id/approvals lists its requests.',
        );
      refuseUnlessMayAnswer(identity, task, approval);
      const decided = await context.conversations.decide(task, {
        approvalId,
        decision,
        by: identity.name,
        ...(text !== undefined && { text }),
      });
      if (!decided.changed && decided.approval.status !== decision) {
        throw new ProblemError(
          'hub_approval_answered',
          `Your answer was not stored: the request is already ${decided.approval.status}.`,
        );
      }
      return decided.approval;
    },
  });

/**
 * Throws a 403 `ProblemError` unless the caller may answer the request: an admin, or the task's submitter if the
 * request is not a command.
 */
function refuseUnlessMayAnswer(
  { role, name }: Identity,
  { submitted_by: submitter }: TaskHead,
  { kind }: ApprovalRow,
): void {
  if (role === 'admin') return;
  if (kind === 'command') {
    const detail = 'Only an admin can answer a request to run a command: use a token of role admin.';
    throw new ProblemError('hub_not_allowed', detail);
  }
  if (submitter === name) return;
  const detail = `The task was submitted by ${submitter}, but your token is named ${name}: use the submitter’s token or a token of role admin.`;
  throw new ProblemError('hub_not_allowed', detail);
}

const createApprovalListRoute = (context: ApiContext) =>
  declareRoute({
    method: 'GET',
    path: '/api/tasks/:id/approvals',
    role: 'viewer',
    summary: 'The requests of a task and their answers',
    params: taskParamsSchema,
    answers: {
      200: { description: 'Oldest first', schema: z.object({ approvals: z.array(approvalSchema) }) },
    },
    handle: async ({ params }) => {
      const task = await readTask(context, params.id);
      return { approvals: await context.conversations.listApprovals(task.id) };
    },
  });

const createFollowUpRoute = (context: ApiContext) =>
  declareRoute({
    method: 'POST',
    path: '/api/tasks/:id/follow-up',
    role: 'submitter',
    summary:
      "Create the task that a partial result's follow_up describes; a second call returns the same task",
    params: taskParamsSchema,
    answers: describeCreatedTask('The new task', 'The task that an earlier call created'),
    handle: async ({ params, identity, reply }) => {
      const task = await readWholeTask(context, params.id);
      const payload = followUpSubmissionOf(task);
      const { taskId, created } = await context.queue.followUp(task.id, payload, {
        submittedBy: identity.name,
      });
      return sendTask(reply, await readTask(context, taskId), created);
    },
  });

/** Fields of a follow-up that the result may not set, even if the submitter left them unset. */
const SUBMITTER_FIELDS = [
  ...Object.keys(hubFields),
  'routing_decision',
  'budget',
  'may_change_checks',
  'skip_verification',
];

/**
 * Returns the submission of a follow-up: the result decides what remains and where to begin; everything else is as in
 * the original submission.
 */
function followUpSubmissionOf(task: TaskRow) {
  const result: unknown = task.result === null ? null : JSON.parse(task.result);
  const payload = isRecord(result) ? result.follow_up : undefined;
  if (!isRecord(payload)) {
    throw new ProblemError(
      'hub_no_follow_up',
      task.result === null
        ? `The task has the status ${task.status} and no result. Only a partial result has a follow-up.`
        : `The task has the status ${task.status} and its result has no follow_up; submit a new task for the remaining work.`,
    );
  }
  const { labels, agentId, model } = readRequirement(task.requirement);
  const originalContent = JSON.parse(task.content) as Record<string, unknown>;
  const { title, description, branch, base_ref, metadata } = payload;
  const parsed = submissionSchema.safeParse({
    ...payload,
    ...Object.fromEntries(SUBMITTER_FIELDS.map((key) => [key, undefined])),
    ...originalContent,
    title,
    description,
    branch,
    base_ref,
    metadata: { ...selectMetadata(metadata, true), ...selectMetadata(originalContent.metadata, false) },
    priority: task.priority,
    max_attempts: task.max_attempts,
    labels,
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(model !== undefined && { model }),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProblemError(
    'hub_no_follow_up',
    `The result's follow_up is not a valid task (${[issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')}); correct it and submit it as a new task.`,
  );
}

/** Returns only the metadata fields that are about follow-ups, or only the other fields. */
const selectMetadata = (metadata: unknown, isFollowUpField: boolean): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(isRecord(metadata) ? metadata : {}).filter(
      ([key]) => key.startsWith('follow_up_') === isFollowUpField,
    ),
  );
