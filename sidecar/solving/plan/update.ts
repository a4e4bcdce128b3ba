/**
 * Applies changes to a plan: calls of `update_plan`, and summaries of stages. Pure. Nothing is ever removed, so that a
 * model which omits criteria does not lose them.
 */
import * as z from 'zod';
import type { PlanUpdate } from '../../tools/types.ts';
import type { Plan, PlanCriterion, PlanDecision } from './plan.ts';

/** Limits of a model's texts and lists. */
const MAX_TEXT_CHARS = 4_000;
const MAX_ENTRIES = 200;

const limitText = (value: string): string => value.slice(0, MAX_TEXT_CHARS);
const text = z.string().transform(limitText);
const texts = z.array(text).default([]);
const decisions = z
  .array(z.object({ title: text, rationale: text.default(''), alternatives: z.array(text).optional() }))
  .default([]);

/** The answer of the summary stage. */
export const stageSummarySchema = z.object({
  log_entry: z.object({
    action: text,
    details: text.default(''),
    result: text.default(''),
    tools_used: texts,
  }),
  acceptance_criteria_updates: z
    .array(z.object({ description: text, completed: z.boolean().default(true), notes: text.optional() }))
    .default([]),
  decisions_made: decisions,
});
export type StageSummary = z.output<typeof stageSummarySchema>;

/** Applies `update_plan`; `summary` is the plan's new state in one line, with the unknown criteria. */
export function applyUpdate(plan: Plan, update: PlanUpdate, nowMs: number): { plan: Plan; summary: string } {
  const criteria = addCriteria(plan.acceptanceCriteria, update.acceptance_criteria?.map(limitText) ?? []);
  const done = complete(
    criteria,
    (update.criteria_completed ?? []).map((description) => ({ description, completed: true })),
  );
  const changed = {
    ...plan,
    goal: limitText(update.goal ?? plan.goal),
    status: update.status ?? plan.status,
    acceptanceCriteria: done.criteria,
    decisionsMade: addDecisions(plan.decisionsMade, update.decisions_made ?? [], nowMs),
    decisionsRejected: addDecisions(plan.decisionsRejected, update.decisions_rejected ?? [], nowMs),
  };
  const unknown = done.unknown.map((name) => `no criterion like "${name.slice(0, 80)}"`);
  return { plan: changed, summary: [planLine(changed), ...unknown].join('; ') };
}

/** Adds a stage's summary to the plan's log, criteria and decisions. */
export function applySummary(plan: Plan, summary: StageSummary, nowMs: number): Plan {
  const { log_entry: entry, acceptance_criteria_updates: updates, decisions_made: made } = summary;
  const result = [entry.details, entry.result].filter(Boolean).join('\n');
  const logged = { timestamp: nowMs, action: entry.action, result, toolsUsed: entry.tools_used };
  return {
    ...plan,
    acceptanceCriteria: complete(plan.acceptanceCriteria, updates).criteria,
    decisionsMade: addDecisions(plan.decisionsMade, made, nowMs),
    executionLog: [...plan.executionLog, logged],
  };
}

/** Formats `Plan in_progress: 2 of 3 criteria done, 1 decision made, 0 rejected; open: 3. No new dependencies`. */
export function planLine(plan: Plan): string {
  const { acceptanceCriteria: criteria, decisionsMade, decisionsRejected } = plan;
  const open = criteria.flatMap(({ completed, description }, index) =>
    completed ? [] : [`${index + 1}. ${description.replaceAll(/\s+/g, ' ').slice(0, 80)}`],
  );
  const counts =
    `${criteria.length - open.length} of ${criteria.length} criteria done, ` +
    `${decisionsMade.length} decision${decisionsMade.length === 1 ? '' : 's'} made, ${decisionsRejected.length} rejected`;
  return `Plan ${plan.status}: ${counts}${open.length > 0 ? `; open: ${open.slice(0, 10).join(', ')}` : ''}`;
}

const normalize = (description: string) => description.replaceAll(/\s+/g, ' ').trim().toLowerCase();

/** Returns the entries that duplicate neither `known` nor an earlier one. */
function newEntries<T>(known: readonly string[], added: readonly T[], textOf: (item: T) => string): T[] {
  const said = new Set(known.map(normalize));
  return added.filter((item) => {
    const text = normalize(textOf(item));
    const isNew = !said.has(text);
    said.add(text);
    return isNew;
  });
}

/** Adds new criteria after the known ones, which stay unchanged. */
function addCriteria(criteria: readonly PlanCriterion[], added: readonly string[]): PlanCriterion[] {
  const known = criteria.map(({ description }) => description);
  const fresh = newEntries(known, added, (description) => description);
  return [...criteria, ...fresh.map((description) => ({ description, completed: false }))].slice(
    0,
    MAX_ENTRIES,
  );
}

/** Marks criteria by description or number; reports the names that match none, or several. */
function complete(
  criteria: readonly PlanCriterion[],
  updates: readonly { description: string; completed: boolean; notes?: string | undefined }[],
): { criteria: PlanCriterion[]; unknown: string[] } {
  const changed = [...criteria];
  const unknown: string[] = [];
  for (const { description, completed, notes } of updates) {
    const index = findCriterion(changed, description);
    const found = changed[index];
    if (found) changed[index] = { ...found, completed, ...(notes ? { notes } : {}) };
    else unknown.push(description);
  }
  return { criteria: changed, unknown };
}

/** Finds a criterion by its whole text, by number from 1, or the only one that contains or is part of the text. */
function findCriterion(criteria: readonly PlanCriterion[], wanted: string): number {
  const name = normalize(wanted);
  const texts = criteria.map(({ description }) => normalize(description));
  const exact = texts.indexOf(name);
  if (exact >= 0) return exact;
  const [, number] = /^#?(\d{1,4})\.?$/.exec(name) ?? [];
  if (number !== undefined) return Number(number) - 1;
  const holds = (text: string, part: string) => part !== '' && text.includes(part);
  const similar = texts.filter((text) => holds(text, name) || holds(name, text));
  return similar.length === 1 ? texts.indexOf(similar[0] ?? '') : -1;
}

function addDecisions(
  decisions: readonly PlanDecision[],
  added: NonNullable<PlanUpdate['decisions_made']>,
  nowMs: number,
): PlanDecision[] {
  const known = decisions.map(({ title }) => title);
  const fresh = newEntries(known, added, ({ title }) => title).map(
    ({ title, rationale = '', alternatives }): PlanDecision => ({
      title: limitText(title),
      rationale: limitText(rationale),
      ...(alternatives && { alternatives: alternatives.map(limitText) }),
      timestamp: nowMs,
    }),
  );
  return [...decisions, ...fresh].slice(0, MAX_ENTRIES);
}
