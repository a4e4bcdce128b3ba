/**
 * A task that is planned, done step by step, and summarised. All stages share the task's
 * wall clock, budget, totals and journal; a resumed task lives through the journaled stages again and goes on at
 * the step, the round and the call where it was.
 */
import { PlanManager } from '../plan/plan-manager.ts';
import type { Plan } from '../plan/plan.ts';
import { serializePlan } from '../plan/serialize.ts';
import { planLine } from '../plan/update.ts';
import type { OnProgress, TaskJournal } from '../ports.ts';
import { criterionText } from '../protocol/task.ts';
import { headOf } from '../prompt/shortening.ts';
import type { PlanUpdate } from '../tools/types.ts';
import { agentKit, openingMessage } from './agent-kit.ts';
import type { Attempt } from './attempt.ts';
import { AttemptOfParts } from './attempt-of-parts.ts';
import type { AttemptParts } from './attempt-parts.ts';
import { Checkpoint } from './checkpoint.ts';
import type { Ending } from './ending.ts';
import type { OpenedModel } from './open-model.ts';
import { endsTask, type PlannedContext } from './planned-context.ts';
import { planSteps, repairPlan } from './planned-plan.ts';
import { StepStage, type ExecutedSteps } from './planned-steps.ts';
import { plainSummary, summarise } from './planned-summary.ts';

/** The plan document inside of an event; the result has it whole. */
const MAX_EVENT_PLAN_CHARS = 20_000;

export function openPlannedAttempt(
  parts: AttemptParts,
  opened: OpenedModel,
  journal: TaskJournal | undefined,
): Attempt {
  return new PlannedAttempt(parts, opened, journal);
}

class PlannedAttempt extends AttemptOfParts {
  readonly #opened: OpenedModel;
  #plan: PlanManager | undefined;
  #stage: StepStage | undefined;
  #executed: ExecutedSteps | undefined;

  constructor(parts: AttemptParts, opened: OpenedModel, journal: TaskJournal | undefined) {
    super(parts, opened.base.model, journal);
    this.#opened = opened;
  }

  plan() {
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
    const context = await this.#open();
    const planned = await planSteps(context);
    if (!planned.ok) return planned.ending;
    context.plan.begin(planned.steps.map(({ description }) => description));
    context.base.emit({ event_type: 'status', text: `Stage 2 of 3: ${planned.steps.length} steps` });
    this.#stage = new StepStage(context);
    const executed = await this.#stage.run(planned.steps);
    const { output, stopped } = await summarise(context, this.#stage, executed);
    finishPlan(context.plan, executed);
    const ending = executed.stopped ?? stopped;
    this.#executed = executed;
    // A forced stop has no answer: the last text of the model stands for it.
    return ending ? { ...ending, output: undefined } : { reason: 'final_answer', output };
  }

  async correct(message: string, number: number): Promise<Ending> {
    const [stage, plan, executed] = [this.#stage, this.#plan, this.#executed];
    if (!stage || !plan || !executed) throw new Error('correct() was called before run()');
    const record = await stage.correct(message, number);
    plan.addSummary(plainSummary([record]));
    executed.records.push(record);
    finishPlan(plan, executed);
    return record.ending;
  }

  async #open(): Promise<PlannedContext> {
    const { base, stages } = this.#opened;
    const { journal, parts } = this;
    const plan = await this.#openPlan();
    this.#plan = plan;
    const sink = { update: (update: PlanUpdate) => plan.update(update) };
    const kit = agentKit(parts, this.#opened, { journal, plan: sink });
    const { text } = await openingMessage(base, parts, new Checkpoint(journal, 'task'));
    return { base, stages, kit, plan, parts, journal, taskMessage: text };
  }

  #openPlan(): Promise<PlanManager> {
    const { task, config, settings, emit } = this.parts;
    const { session } = config;
    return PlanManager.open({
      file: session?.planFile,
      maskDeep: session && ((value) => session.maskDeep(value)),
      clock: settings.clock,
      logger: settings.logger,
      initial: { goal: task.description, criteria: task.success_criteria.map(criterionText) },
      repair: (prompt) => repairPlan(this.#opened.base, this.journal, prompt),
      onChange: (changed) => tellPlan(changed, emit),
    });
  }
}

/** An event whose text alone reads well; dashboards that know plans show the document. */
function tellPlan(plan: Plan, emit: OnProgress): void {
  const steps = (plan.steps ?? []).map(
    ({ description, completed, notes }, index) =>
      `- [${completed ? 'x' : ' '}] ${index + 1}. ${description}${notes ? ` (${notes})` : ''}`,
  );
  emit({
    event_type: 'plan',
    text: [planLine(plan), ...steps].join('\n'),
    plan: headOf(serializePlan(plan), MAX_EVENT_PLAN_CHARS),
  });
}

function finishPlan(plan: PlanManager, { records, stopped }: ExecutedSteps): void {
  const { acceptanceCriteria } = plan.plan;
  const isDone = records.every(({ done }) => done) && acceptanceCriteria.every(({ completed }) => completed);
  if (stopped) {
    if (!endsTask(stopped)) plan.setStatus('failed');
  } else if (isDone) plan.setStatus('completed');
}
