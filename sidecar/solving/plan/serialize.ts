/** Formats a plan as a Markdown document for users and models. Never read back. */
import { clip } from '../../base/values/shortening.ts';
import type { Plan, PlanCriterion, PlanDecision, PlanLogEntry } from './plan.ts';

const TITLE_CHARS = 120;

/** Returns the plan document's text. Never throws for a `Plan`. */
export function serializePlan(plan: Plan): string {
  const { status, goal } = plan;
  const steps = plan.steps && section('Steps', plan.steps.map(criterionLines).join('\n'), '[No steps yet]');
  return [
    `# Plan: ${clip(goal.trim().split('\n', 1)[0] ?? '', TITLE_CHARS)}`.trimEnd(),
    '',
    `**Status:** ${status}`,
    '',
    ...section('Goal', goal.trim(), '[No goal yet]'),
    ...section(
      'Acceptance Criteria',
      plan.acceptanceCriteria.map(criterionLines).join('\n'),
      '[No acceptance criteria yet]',
    ),
    ...(steps ?? []),
    ...section('Decisions Made', decisions(plan.decisionsMade, 'Decided'), '[No decisions yet]'),
    ...section(
      'Decisions Rejected',
      decisions(plan.decisionsRejected, 'Rejected'),
      '[No rejected decisions yet]',
    ),
    ...section('Execution Log', plan.executionLog.map(logLines).join('\n\n'), '[No actions taken yet]'),
  ].join('\n');
}

const section = (title: string, text: string, placeholder: string): string[] => [
  `## ${title}`,
  text || placeholder,
  '',
];

/** Indents the lines after the first. */
const indentRest = (text: string): string => text.trim().replaceAll(/\n(?=.)/g, '\n  ');
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const label = (name: string, value: string): string => `**${name}:** ${value}`.trimEnd();

function criterionLines({ description, completed, notes }: PlanCriterion): string {
  const noted = notes === undefined ? '' : ` *(${indentRest(notes)})*`;
  return `- [${completed ? 'x' : ' '}] ${indentRest(description)}${noted}`;
}

const decisions = (made: readonly PlanDecision[], when: 'Decided' | 'Rejected'): string =>
  made
    .map(({ title, rationale, alternatives, timestamp }) =>
      [
        `### ${oneLine(title)}`,
        label('Rationale', indentRest(rationale)),
        ...(alternatives ? [label('Alternatives considered', alternatives.map(oneLine).join(', '))] : []),
        label(when, isoTime(timestamp)),
      ].join('\n'),
    )
    .join('\n\n');

const logLines = ({ timestamp, action, result, toolsUsed }: PlanLogEntry): string =>
  [
    `### ${isoTime(timestamp)} - ${oneLine(action)}`,
    label('Tools', toolsUsed.join(', ')),
    label('Result', indentRest(result)),
  ].join('\n');

const isoTime = (timeMs: number): string => new Date(timeMs).toISOString();
