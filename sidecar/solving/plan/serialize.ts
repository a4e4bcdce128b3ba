/** Formats a plan as a Markdown document for users and models. The document is never parsed. */
import { clip } from '../../base/values/shortening.ts';
import type { Plan, PlanCriterion, PlanDecision, PlanLogEntry } from './plan.ts';

const MAX_TITLE_CHARS = 120;

/** Formats the plan document. Never throws. */
export function serializePlan(plan: Plan): string {
  const { status, goal } = plan;
  const steps =
    plan.steps && formatSection('Steps', plan.steps.map(formatCriterion).join('\n'), '[No steps yet]');
  return [
    `# Plan: ${clip(goal.trim().split('\n', 1)[0] ?? '', MAX_TITLE_CHARS)}`.trimEnd(),
    '',
    `**Status:** ${status}`,
    '',
    ...formatSection('Goal', goal.trim(), '[No goal yet]'),
    ...formatSection(
      'Acceptance Criteria',
      plan.acceptanceCriteria.map(formatCriterion).join('\n'),
      '[No acceptance criteria yet]',
    ),
    ...(steps ?? []),
    ...formatSection('Decisions Made', formatDecisions(plan.decisionsMade, 'Decided'), '[No decisions yet]'),
    ...formatSection(
      'Decisions Rejected',
      formatDecisions(plan.decisionsRejected, 'Rejected'),
      '[No rejected decisions yet]',
    ),
    ...formatSection(
      'Execution Log',
      plan.executionLog.map(formatLogEntry).join('\n\n'),
      '[No actions taken yet]',
    ),
  ].join('\n');
}

const formatSection = (title: string, text: string, placeholder: string): string[] => [
  `## ${title}`,
  text || placeholder,
  '',
];

/** Indents the lines after the first. */
const indentRest = (text: string): string => text.trim().replaceAll(/\n(?=.)/g, '\n  ');
const toSingleLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const formatLabel = (name: string, value: string): string => `**${name}:** ${value}`.trimEnd();

function formatCriterion({ description, completed, notes }: PlanCriterion): string {
  const notesText = notes === undefined ? '' : ` *(${indentRest(notes)})*`;
  return `- [${completed ? 'x' : ' '}] ${indentRest(description)}${notesText}`;
}

const formatDecisions = (decided: readonly PlanDecision[], outcome: 'Decided' | 'Rejected'): string =>
  decided
    .map(({ title, rationale, alternatives, timestamp }) =>
      [
        `### ${toSingleLine(title)}`,
        formatLabel('Rationale', indentRest(rationale)),
        ...(alternatives
          ? [formatLabel('Alternatives considered', alternatives.map(toSingleLine).join(', '))]
          : []),
        formatLabel(outcome, formatTime(timestamp)),
      ].join('\n'),
    )
    .join('\n\n');

const formatLogEntry = ({ timestamp, action, result, toolsUsed }: PlanLogEntry): string =>
  [
    `### ${formatTime(timestamp)} - ${toSingleLine(action)}`,
    formatLabel('Tools', toolsUsed.join(', ')),
    formatLabel('Result', indentRest(result)),
  ].join('\n');

const formatTime = (timeMs: number): string => new Date(timeMs).toISOString();
