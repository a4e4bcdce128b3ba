/**
 * Stage 1 of a planned task: the planning model writes the list of steps. Where it
 * writes none that can be read, the task itself is the one step.
 */
import { MAX_STEPS, TASK_LIST_FORM, taskListFormat, taskListSchema } from '../plan/task-list.ts';
import type { PlanStep } from '../plan/task-list.ts';
import { planRequest } from '../prompt/stage-messages.ts';
import { askModel, type AskBase } from './ask.ts';
import { checkLimits } from './check-limits.ts';
import { Checkpoint } from './checkpoint.ts';
import { Conversation } from './conversation.ts';
import type { Ending } from './ending.ts';
import { askForForm } from './planned-answers.ts';
import { MAX_STEP_ITERATIONS, type PlannedContext } from './planned-context.ts';

/** Turns are limited per step; a stage that asks once or twice has no limit of its own. */
export const withoutTurnLimit = (base: AskBase): AskBase => ({
  ...base,
  limits: { ...base.limits, maxIterations: Infinity },
});

/** The steps, or why the task has to stop. */
export async function planSteps(
  context: PlannedContext,
): Promise<{ ok: true; steps: PlanStep[] } | { ok: false; ending: Ending }> {
  const { base: own, stages, kit, plan, taskMessage, journal } = context;
  const checkpoint = new Checkpoint(journal, 'plan');
  const lived = checkpoint.hasAnswer(1);
  const base = lived ? own : await stages.base('planning');
  base.emit({ event_type: 'status', text: `Stage 1 of 3: planning with ${base.model}` });
  const request = planRequest({
    taskMessage,
    planText: plan.textForPrompt(),
    toolNames: kit.tools.registry.names(),
    maxSteps: MAX_STEPS,
    maxIterations: MAX_STEP_ITERATIONS,
  });
  if (!lived) base.observer?.said('USER', request);
  const conversation = Conversation.plain(request, taskListFormat);
  const asked = { ...withoutTurnLimit(base), purpose: 'planning' as const, conversation, checkpoint };
  const answer = await askForForm(asked, taskListSchema, TASK_LIST_FORM);
  base.observer?.roundEnded();
  if (answer.ok) return { ok: true, steps: answer.value };
  if ('ending' in answer && !mayGoOn(context, base, answer.ending)) return answer;
  const why = 'ending' in answer ? (answer.ending.detail ?? answer.ending.reason) : answer.malformed;
  base.emit({ event_type: 'status', text: `No plan could be made (${why}); the task is the one step` });
  return { ok: true, steps: [{ description: wholeTask(context), critical: true }] };
}

/** Another model that fails to plan does not keep the task's own from working. */
function mayGoOn({ base: own }: PlannedContext, base: AskBase, { reason }: Ending): boolean {
  return base.model !== own.model && (reason === 'model_error' || reason === 'context_exhausted');
}

function wholeTask({ base: { task } }: PlannedContext): string {
  const first = task.description.trim().split('\n', 1)[0]?.slice(0, 300) ?? '';
  return `Do the whole task: ${first || 'as it is written above'}`;
}

/** Asks once to repair a plan document. Never rejects but for a failing disk. */
export async function repairPlan(
  base: AskBase,
  journal: PlannedContext['journal'],
  prompt: string,
): Promise<string | undefined> {
  const checkpoint = new Checkpoint(journal, 'plan-repair');
  const conversation = Conversation.plain(prompt);
  const context = { ...withoutTurnLimit(base), purpose: 'planning' as const, conversation, checkpoint };
  const limit = checkLimits(context, 1);
  if (limit.ending) return undefined;
  const asked = await askModel(context, 1, limit.reservation);
  if (!asked.ok) return undefined;
  if (!checkpoint.hasAnswer(1)) await checkpoint.recordAnswer(1, asked.answer);
  return asked.answer.reply.message.content;
}
