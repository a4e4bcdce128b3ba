/**
 * Runs stage 1 of a planned task: the planning model writes the list of steps. If the list cannot be parsed, the whole task is the only
 * step.
 */
import {
  MAX_STEPS,
  TASK_LIST_FORM,
  taskListFormat,
  taskListSchema,
  type PlanStep,
} from '../../plan/task-list.ts';
import { buildPlanRequest } from '../../prompt/stage-messages.ts';
import type { Task } from '../../../base/protocol/task.ts';
import { askForForm } from '../../model-calls/ask-for-form.ts';
import { openQuestion } from '../../model-calls/stage.ts';
import type { Ending } from '../../task/ending.ts';
import { MAX_STEP_ITERATIONS, type PlannedTask } from './planned-task.ts';

/** Returns the steps, or the ending if the task must stop. */
export async function planSteps(
  planned: PlannedTask,
): Promise<{ ok: true; steps: PlanStep[] } | { ok: false; ending: Ending }> {
  const { run, models, loop, plan, taskMessage } = planned;
  const model = await models.prepareForStage('planning');
  run.emit({ event_type: 'status', text: `Stage 1 of 3: planning with ${model.name}` });
  const stage = openQuestion(
    { run, model, purpose: 'planning', name: 'plan', format: taskListFormat },
    buildPlanRequest({
      taskMessage,
      planText: plan.formatForPrompt(),
      toolNames: loop.tools.registry.names(),
      maxSteps: MAX_STEPS,
      maxIterations: MAX_STEP_ITERATIONS,
    }),
  );
  const answer = await askForForm(stage, taskListSchema, TASK_LIST_FORM);
  run.observer?.recordRoundEnd();
  if (answer.ok) return { ok: true, steps: answer.value };
  const isOwn = model.name === models.ownModel.name;
  if ('ending' in answer && !mayContinue(answer.ending, isOwn)) return answer;
  const reason = 'ending' in answer ? (answer.ending.detail ?? answer.ending.reason) : answer.malformed;
  run.emit({
    event_type: 'status',
    text: `No plan could be made (${reason}); the whole task is the only step`,
  });
  return { ok: true, steps: [{ description: describeWholeTask(run.task), critical: true }] };
}

/** Returns whether the task continues without a plan. If another model failed at planning, the task's own model can still work. */
const mayContinue = ({ reason }: Ending, isOwn: boolean): boolean =>
  !isOwn && (reason === 'model_error' || reason === 'context_exhausted');

function describeWholeTask({ description }: Task): string {
  const first = description.trim().split('\n', 1)[0]?.slice(0, 300) ?? '';
  return `Do the whole task: ${first || 'as it is written above'}`;
}
