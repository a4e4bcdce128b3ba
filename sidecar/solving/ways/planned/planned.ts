/** Runs a task in three stages: planning, steps, summary. All stages share the task's wall clock, budget and totals. */
import { PlanManager } from '../../plan/plan-manager.ts';
import type { Plan } from '../../plan/plan.ts';
import { serializePlan } from '../../plan/serialize.ts';
import { formatPlanLine } from '../../plan/update.ts';
import type { OnProgress } from '../../../base/ports.ts';
import { headOf } from '../../../base/values/shortening.ts';
import { criterionTextOf } from '../../../base/protocol/task.ts';
import { AgentLoop } from '../../loop/agent-loop.ts';
import { composeTaskMessage } from '../../model-calls/first-message.ts';
import type { TaskModels } from '../../model-calls/models/task-models.ts';
import type { Ending } from '../../task/ending.ts';
import type { TaskRun } from '../../task/task-run.ts';
import type { Attempt, CurrentPlan, Way } from '../../solve/way.ts';
import { planSteps } from './plan-stage.ts';
import { endsTask, type StepResults, type PlannedTask } from './planned-task.ts';
import { StepStage } from './step-stage.ts';
import { buildPlainSummary, writeSummary } from './summary-stage.ts';

/** Maximum length of the plan document in an event. The result contains the whole document. */
const MAX_EVENT_PLAN_CHARS = 20_000;

export const openPlannedWay = ({ run, models }: Attempt): Way => new PlannedWay(run, models);

class PlannedWay implements Way {
  readonly #run: TaskRun;
  readonly #models: TaskModels;
  #plan: PlanManager | undefined;
  #steps: StepStage | undefined;
  #stepResults: StepResults | undefined;

  constructor(run: TaskRun, models: TaskModels) {
    this.#run = run;
    this.#models = models;
  }

  getPlanFields(): CurrentPlan | undefined {
    const plan = this.#plan?.plan;
    if (!plan) return undefined;
    const steps = plan.steps ?? [];
    return {
      plan: serializePlan(plan),
      planItems: [
        ...steps.map((step, index) => ({
          description: `Step ${index + 1}: ${step.description}`,
          done: step.completed,
        })),
        ...plan.acceptanceCriteria.map(({ description, completed }) => ({ description, done: completed })),
      ],
    };
  }

  async run(): Promise<Ending> {
    const task = await this.#openTask();
    const planning = await planSteps(task);
    if (!planning.ok) return planning.ending;
    task.plan.setSteps(planning.steps.map(({ description }) => description));
    this.#run.emit({ event_type: 'status', text: `Stage 2 of 3: ${planning.steps.length} steps` });
    this.#steps = new StepStage(task, await task.loop.open());
    const stepResults = await this.#steps.run(planning.steps);
    const { output, stopEnding: summaryEnding } = await writeSummary(task, this.#steps, stepResults);
    finishPlan(task.plan, stepResults);
    const ending = stepResults.earlyEnding ?? summaryEnding;
    this.#stepResults = stepResults;
    // After a forced stop there is no answer, so the output is the model's last text.
    return ending ? { ...ending, output: undefined } : { reason: 'final_answer', output };
  }

  async correct(message: string, number: number): Promise<Ending> {
    const [steps, plan, stepResults] = [this.#steps, this.#plan, this.#stepResults];
    if (!steps || !plan || !stepResults) throw new Error('correct() was called before run()');
    const record = await steps.correct(message, number);
    plan.addSummary(buildPlainSummary([record]));
    stepResults.records.push(record);
    finishPlan(plan, stepResults);
    return record.ending;
  }

  async #openTask(): Promise<PlannedTask> {
    const [run, models] = [this.#run, this.#models];
    const plan = openPlan(run);
    this.#plan = plan;
    const text = await composeTaskMessage(run, models.ownModel);
    const loop = new AgentLoop(run, models.ownModel, { plan, firstMessage: () => Promise.resolve({ text }) });
    return { run, models, loop, plan, taskMessage: text };
  }
}

function openPlan({ task, session, clock, logger, emit }: TaskRun): PlanManager {
  return new PlanManager({
    file: session?.planFile,
    maskDeep: session && ((value) => session.maskDeep(value)),
    clock,
    logger,
    goal: task.description,
    criteria: task.success_criteria.map(criterionTextOf),
    onChange: (changed) => emitPlan(changed, emit),
  });
}

/** Emits the plan. `text` is a readable fallback; the embedded dashboard renders `plan`. */
function emitPlan(plan: Plan, emit: OnProgress): void {
  const steps = (plan.steps ?? []).map(
    ({ description, completed, notes }, index) =>
      `- [${completed ? 'x' : ' '}] ${index + 1}. ${description}${notes ? ` (${notes})` : ''}`,
  );
  emit({
    event_type: 'plan',
    text: [formatPlanLine(plan), ...steps].join('\n'),
    plan: headOf(serializePlan(plan), MAX_EVENT_PLAN_CHARS),
  });
}

function finishPlan(plan: PlanManager, { records, earlyEnding }: StepResults): void {
  const { acceptanceCriteria } = plan.plan;
  const isDone = records.every(({ done }) => done) && acceptanceCriteria.every(({ completed }) => completed);
  if (earlyEnding) {
    if (!endsTask(earlyEnding)) plan.setStatus('failed');
  } else if (isDone) plan.setStatus('completed');
}
