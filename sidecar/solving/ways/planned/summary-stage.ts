/**
 * Runs stage 3 of a planned task: the model writes a summary for the plan's log. If it cannot be written, or a user rejects it, a plain
 * list of steps and tools replaces it.
 */
import { stageSummaryFormat } from '../../plan/stage-summary-format.ts';
import { stageSummarySchema, type StageSummary } from '../../plan/update.ts';
import { SUMMARY_FORMAT_TEXT, buildSummaryRequest } from '../../prompt/stage-messages.ts';
import { askForForm } from '../../model-calls/ask-for-form.ts';
import { openQuestion } from '../../model-calls/stage.ts';
import type { Ending } from '../../task/ending.ts';
import { endsTask, type StepResults, type PlannedTask, type StepRecord } from './planned-task.ts';
import type { StepStage } from './step-stage.ts';

/** Share of the window for the transcript. */
const TRANSCRIPT_SHARE = 0.4;

export interface SummaryOutcome {
  /** Output of the task's result. */
  output: string;
  /** Ending of the whole task, if the task was stopped during the summary. */
  stopEnding?: Ending;
}

/** Writes the entry in the plan's log. Rejects only on a storage error. */
export async function writeSummary(
  planned: PlannedTask,
  steps: StepStage,
  { records, earlyEnding }: StepResults,
): Promise<SummaryOutcome> {
  const { plan, loop } = planned;
  const lastAnswer = records.at(-1)?.ending.output ?? '';
  const answer = earlyEnding && endsTask(earlyEnding) ? undefined : await askForSummary(planned, steps);
  const stopEnding = answer && 'ending' in answer && isStop(answer.ending) ? answer.ending : undefined;
  const summary = answer?.ok ? answer.value : undefined;
  const verdict = summary
    ? await loop.tools.approvals.approveSummary(formatSummary(summary))
    : { decision: 'rejected' as const };
  if (!summary || verdict.decision === 'rejected') {
    plan.addSummary(buildPlainSummary(records));
    return { output: lastAnswer, stopEnding };
  }
  if (verdict.decision === 'corrected') {
    const entry = { ...summary.log_entry, details: verdict.text, result: '' };
    plan.addSummary({ ...summary, log_entry: entry });
    return { output: verdict.text };
  }
  plan.addSummary(summary);
  const { action, details, result } = summary.log_entry;
  return { output: [details, result].filter(Boolean).join('\n\n') || lastAnswer || action };
}

async function askForSummary(planned: PlannedTask, steps: StepStage) {
  const { run, plan, models } = planned;
  const model = await models.prepareForStage('summary');
  run.emit({ event_type: 'status', text: `Stage 3 of 3: summarising with ${model.name}` });
  const maxChars = model.session.windowTokens * TRANSCRIPT_SHARE * model.estimator.charsPerToken;
  const question = { run, model, purpose: 'summary' as const, name: 'summary', format: stageSummaryFormat };
  const stage = openQuestion(
    question,
    buildSummaryRequest({ planText: plan.formatForPrompt(), transcript: steps.formatTranscript(maxChars) }),
  );
  const answer = await askForForm(stage, stageSummarySchema, SUMMARY_FORMAT_TEXT);
  run.observer?.recordRoundEnd();
  if (!answer.ok && 'malformed' in answer) {
    run.emit({ event_type: 'status', text: 'No summary could be written; a list of the steps replaces it' });
  }
  return answer;
}

/**
 * Returns whether an ending stops the whole task. If only the summary failed, for example for lack of budget, the work of the task remains.
 */
const isStop = ({ reason }: Ending): boolean =>
  reason === 'cancelled' || reason === 'shutdown' || reason === 'timeout';

/** Builds a summary from the steps and tools, without a model. */
export function buildPlainSummary(records: readonly StepRecord[]): StageSummary {
  const lines = records.map(({ step, done, ending, tools }, index) => {
    const outcome = done ? 'done' : `failed: ${ending.detail ?? ending.reason}`;
    return `${index + 1}. ${step.description} (${outcome}; tools: ${tools.join(', ') || 'none'})`;
  });
  return {
    log_entry: {
      action: `Worked on ${records.length} step${records.length === 1 ? '' : 's'}`,
      details: lines.join('\n'),
      result: '',
      tools_used: [...new Set(records.flatMap(({ tools }) => tools))],
    },
    acceptance_criteria_updates: [],
    decisions_made: [],
  };
}

/** Formats a summary for the user who approves it. */
function formatSummary({ log_entry: entry, acceptance_criteria_updates: updates }: StageSummary): string {
  return [
    entry.action,
    entry.details,
    entry.result,
    ...(updates.length > 0 ? ['Criteria:'] : []),
    ...updates.map(({ description, completed, notes }) =>
      `- [${completed ? 'x' : ' '}] ${description} ${notes ? `(${notes})` : ''}`.trimEnd(),
    ),
    entry.tools_used.length > 0 ? `Tools: ${entry.tools_used.join(', ')}` : '',
  ]
    .filter(Boolean)
    .join('\n');
}
