/**
 * A plan as Markdown with YAML front matter. Pure, and the exact inverse of
 * `parsePlan` for every plan; a property test checks it.
 */
import { headOf } from '../values/shortening.ts';
import { PLACEHOLDERS } from './placeholders.ts';
import type { Plan, PlanCriterion, PlanDecision, PlanLogEntry } from './plan.ts';
import { encodeBlock, encodeLine, encodeList, guardNotes } from './plan-text.ts';

/** Further lines of a text under a label or a checkbox. */
const INDENT = '  ';
const TITLE_CHARS = 120;

/** The plan document's text. Never throws for a `Plan`. */
export function serializePlan(plan: Plan): string {
  const { status, goal, metadata } = plan;
  return `${[
    '---',
    `status: ${status}`,
    `createdAt: ${isoTime(metadata.createdAt)}`,
    `updatedAt: ${isoTime(metadata.updatedAt)}`,
    `version: ${metadata.version}`,
    '---',
    '',
    `# Plan: ${title(goal)}`.trimEnd(),
    '',
    `**Status:** ${status}`,
    '',
    '## Goal',
    goal === '' ? PLACEHOLDERS.goal : encodeBlock(goal),
    '',
    '## Acceptance Criteria',
    plan.acceptanceCriteria.map(criterionLines).join('\n') || PLACEHOLDERS.criteria,
    '',
    ...(plan.steps ? ['## Steps', plan.steps.map(criterionLines).join('\n') || PLACEHOLDERS.steps, ''] : []),
    '## Decisions Made',
    plan.decisionsMade.map((decision) => decisionLines(decision, 'Decided')).join('\n\n') ||
      PLACEHOLDERS.decisionsMade,
    '',
    '## Decisions Rejected',
    plan.decisionsRejected.map((decision) => decisionLines(decision, 'Rejected')).join('\n\n') ||
      PLACEHOLDERS.decisionsRejected,
    '',
    '## Execution Log',
    plan.executionLog.map(logLines).join('\n\n') || PLACEHOLDERS.log,
  ].join('\n')}\n`;
}

/** The heading's short form of the goal; the Goal section holds the whole one. */
function title(goal: string): string {
  const [first = ''] = goal.trim().split('\n');
  const short = headOf(first, TITLE_CHARS);
  return encodeLine(short.length < goal.trim().length ? `${short.trimEnd()}…` : short);
}

function criterionLines({ description, completed, notes }: PlanCriterion): string {
  const text = guardNotes(encodeBlock(description, INDENT));
  const noted = notes === undefined ? '' : ` *(${guardNotes(encodeBlock(notes, INDENT))})*`;
  return `- [${completed ? 'x' : ' '}] ${text}${noted}`.trimEnd();
}

function decisionLines(decision: PlanDecision, when: 'Decided' | 'Rejected'): string {
  const { alternatives } = decision;
  return [
    `### ${encodeLine(decision.title)}`.trimEnd(),
    label('Rationale', encodeBlock(decision.rationale, INDENT)),
    ...(alternatives === undefined ? [] : [label('Alternatives considered', encodeList(alternatives))]),
    label(when, isoTime(decision.timestamp)),
  ].join('\n');
}

function logLines({ timestamp, action, result, toolsUsed }: PlanLogEntry): string {
  return [
    `### ${isoTime(timestamp)} - ${encodeLine(action)}`.trimEnd(),
    label('Tools', encodeList(toolsUsed)),
    label('Result', encodeBlock(result, INDENT)),
  ].join('\n');
}

const label = (name: string, value: string): string => `**${name}:** ${value}`.trimEnd();

function isoTime(timeMs: number): string {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
