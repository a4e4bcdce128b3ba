/**
 * Applies changes to a plan: calls of `update_plan`, and summaries of stages. Pure. Nothing is ever removed, so a model that omits criteria
 * does not lose them.
 */
import * as z from 'zod';
import type { PlanUpdate } from '../../tools/types.ts';
import type { Plan, PlanCriterion, PlanDecision } from './plan.ts';

/** Maximum length of a text in a plan. */
const MAX_TEXT_CHARS = 4_000;
/** Maximum number of entries in a list of a plan. */
const MAX_ENTRIES = 200;

const limitText = (value: string): string => value.slice(0, MAX_TEXT_CHARS);
const textSchema = z.string().transform(limitText);
const textsSchema = z.array(textSchema).default([]);
const decisionsSchema = z
  .array(
    z.object({
      title: textSchema,
      rationale: textSchema.default(''),
      alternatives: z.array(textSchema).optional(),
    }),
  )
  .default([]);

/** Schema of the answer in the summary stage. */
export const stageSummarySchema = z.object({
  log_entry: z.object({
    action: textSchema,
    details: textSchema.default(''),
    result: textSchema.default(''),
    tools_used: textsSchema,
  }),
  acceptance_criteria_updates: z
    .array(
      z.object({
        description: textSchema,
        completed: z.boolean().default(true),
        notes: textSchema.optional(),
      }),
    )
    .default([]),
  decisions_made: decisionsSchema,
});
export type StageSummary = z.output<typeof stageSummarySchema>;

/** Applies a call of `update_plan`. `summary` is the plan's new state on one line, with the criteria that match nothing. */
export function applyUpdate(plan: Plan, update: PlanUpdate, nowMs: number): { plan: Plan; summary: string } {
  const criteria = addCriteria(plan.acceptanceCriteria, update.acceptance_criteria?.map(limitText) ?? []);
  const completion = markCriteria(
    criteria,
    (update.criteria_completed ?? []).map((description) => ({ description, completed: true })),
  );
  const updatedPlan = {
    ...plan,
    goal: limitText(update.goal ?? plan.goal),
    status: update.status ?? plan.status,
    acceptanceCriteria: completion.criteria,
    decisionsMade: addDecisions(plan.decisionsMade, update.decisions_made ?? [], nowMs),
    decisionsRejected: addDecisions(plan.decisionsRejected, update.decisions_rejected ?? [], nowMs),
  };
  const unknownNotes = completion.unknown.map((name) => `no criterion like "${name.slice(0, 80)}"`);
  return { plan: updatedPlan, summary: [formatPlanLine(updatedPlan), ...unknownNotes].join('; ') };
}

/** Adds a stage's summary to the plan's log, criteria and decisions. */
export function applySummary(plan: Plan, summary: StageSummary, nowMs: number): Plan {
  const { log_entry: entry, acceptance_criteria_updates: updates, decisions_made: newDecisions } = summary;
  const result = [entry.details, entry.result].filter(Boolean).join('\n');
  const logEntry = { timestamp: nowMs, action: entry.action, result, toolsUsed: entry.tools_used };
  return {
    ...plan,
    acceptanceCriteria: markCriteria(plan.acceptanceCriteria, updates).criteria,
    decisionsMade: addDecisions(plan.decisionsMade, newDecisions, nowMs),
    executionLog: [...plan.executionLog, logEntry],
  };
}

/**
 * Formats the state of a plan, for example `Plan in_progress: 2 of 3 criteria done, 1 decision made, 0 rejected; open: 3. No new
 * dependencies`.
 */
export function formatPlanLine(plan: Plan): string {
  const { acceptanceCriteria: criteria, decisionsMade, decisionsRejected } = plan;
  const openCriteria = criteria.flatMap(({ completed, description }, index) =>
    completed ? [] : [`${index + 1}. ${description.replaceAll(/\s+/g, ' ').slice(0, 80)}`],
  );
  const counts =
    `${criteria.length - openCriteria.length} of ${criteria.length} criteria done, ` +
    `${decisionsMade.length} decision${decisionsMade.length === 1 ? '' : 's'} made, ${decisionsRejected.length} rejected`;
  return `Plan ${plan.status}: ${counts}${openCriteria.length > 0 ? `; open: ${openCriteria.slice(0, 10).join(', ')}` : ''}`;
}

const normalize = (description: string) => description.replaceAll(/\s+/g, ' ').trim().toLowerCase();

/** Returns the entries that neither `knownTexts` nor an earlier entry contains. */
function selectNew<T>(knownTexts: readonly string[], added: readonly T[], textOf: (item: T) => string): T[] {
  const seenTexts = new Set(knownTexts.map(normalize));
  return added.filter((item) => {
    const text = normalize(textOf(item));
    const isNew = !seenTexts.has(text);
    seenTexts.add(text);
    return isNew;
  });
}

/** Appends new criteria. Existing ones stay unchanged. */
function addCriteria(criteria: readonly PlanCriterion[], added: readonly string[]): PlanCriterion[] {
  const knownTexts = criteria.map(({ description }) => description);
  const newCriteria = selectNew(knownTexts, added, (description) => description);
  return [...criteria, ...newCriteria.map((description) => ({ description, completed: false }))].slice(
    0,
    MAX_ENTRIES,
  );
}

/** Marks criteria by description or number. Also returns the names that match no criterion, or several. */
function markCriteria(
  criteria: readonly PlanCriterion[],
  updates: readonly { description: string; completed: boolean; notes?: string | undefined }[],
): { criteria: PlanCriterion[]; unknown: string[] } {
  const updated = [...criteria];
  const unknown: string[] = [];
  for (const { description, completed, notes } of updates) {
    const index = findCriterion(updated, description);
    const criterion = updated[index];
    if (criterion) updated[index] = { ...criterion, completed, ...(notes ? { notes } : {}) };
    else unknown.push(description);
  }
  return { criteria: updated, unknown };
}

/**
 * Returns the index of a criterion by its whole text or its number (from 1), or of the only criterion that contains the text or is part of
 * it; otherwise -1.
 */
function findCriterion(criteria: readonly PlanCriterion[], nameOrNumber: string): number {
  const name = normalize(nameOrNumber);
  const texts = criteria.map(({ description }) => normalize(description));
  const exact = texts.indexOf(name);
  if (exact >= 0) return exact;
  const [, number] = /^#?(\d{1,4})\.?$/.exec(name) ?? [];
  if (number !== undefined) return Number(number) - 1;
  const includesPart = (text: string, part: string) => part !== '' && text.includes(part);
  const similar = texts.filter((text) => includesPart(text, name) || includesPart(name, text));
  return similar.length === 1 ? texts.indexOf(similar[0] ?? '') : -1;
}

function addDecisions(
  decisions: readonly PlanDecision[],
  added: NonNullable<PlanUpdate['decisions_made']>,
  nowMs: number,
): PlanDecision[] {
  const knownTitles = decisions.map(({ title }) => title);
  const newDecisions = selectNew(knownTitles, added, ({ title }) => title).map(
    ({ title, rationale = '', alternatives }): PlanDecision => ({
      title: limitText(title),
      rationale: limitText(rationale),
      ...(alternatives && { alternatives: alternatives.map(limitText) }),
      timestamp: nowMs,
    }),
  );
  return [...decisions, ...newDecisions].slice(0, MAX_ENTRIES);
}
