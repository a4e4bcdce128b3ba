/**
 * Daily budgets (UTC) of the hub, of each submitter and of each repository. Usage is the sum over the attempts that
 * began that day. When a budget is exhausted, its queued tasks wait for the next day; running tasks continue.
 */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Clock } from '../../base/ports.ts';
import { DAY_MS } from '../storage/count-figures.ts';
import type { TaskHead } from '../storage/tables.ts';
import type { HubStore } from '../storage/unit-of-work.ts';

export const budgetKinds = ['hub', 'submitter', 'repository'] as const;
export type BudgetKind = (typeof budgetKinds)[number];
interface BudgetLimits {
  maxTokens?: number | undefined;
  maxUsd?: number | undefined;
}
/** Limits per day: for the hub, for every submitter, for every repository. */
export type DailyBudgets = Partial<Record<BudgetKind, BudgetLimits | undefined>>;

/** A daily budget and today's usage. */
export interface BudgetUse extends BudgetLimits {
  kind: BudgetKind;
  /** The submitter or the repository; empty for the hub. */
  name: string;
  tokens: number;
  usd: number;
}

/** Fields by which a task is charged to budgets: the token's name, and the address without credentials. */
type ChargedTask = Pick<TaskHead, 'submitted_by' | 'repo'>;

/** The column of a task by which each kind of budget counts; every task counts for the hub. */
const budgetColumns = { hub: undefined, submitter: 'submitted_by', repository: 'repo' } as const;

const budgetNameOf = (per: BudgetKind, task: ChargedTask): string | null => {
  const column = budgetColumns[per];
  return column === undefined ? '' : task[column];
};

/** Returns the start of the UTC day, in milliseconds since the epoch. */
export const dayStartOf = (nowMs: number): number => nowMs - (nowMs % DAY_MS);

/** Returns the time at which all budgets reset, in milliseconds since the epoch. */
export const nextDayOf = (nowMs: number): number => dayStartOf(nowMs) + DAY_MS;

/** Returns the configured budgets that were used today, and the budget of the whole hub also if it was not used. Rejects if the database fails. */
export async function readBudgetUses(
  { clock, budgets = {} }: { clock: Clock; budgets?: DailyBudgets | undefined },
  db: HubStore['db'],
): Promise<BudgetUse[]> {
  const configuredKinds = budgetKinds.filter((per) => budgets[per]);
  if (configuredKinds.length === 0) return [];
  const usageRows = await db
    .selectFrom('attempts')
    .innerJoin('tasks', 'tasks.id', 'attempts.task_id')
    .select(({ fn }) => [
      'submitted_by',
      'repo',
      fn.sum<number | null>('attempts.tokens_in').as('tokensIn'),
      fn.sum<number | null>('attempts.tokens_out').as('tokensOut'),
      fn.sum<number | null>('attempts.cost_usd').as('usd'),
    ])
    .where('attempts.started_at', '>=', dayStartOf(clock.now()))
    .groupBy(['submitted_by', 'repo'])
    .execute();
  return configuredKinds.flatMap((per) => {
    const uses = new Map<string, BudgetUse>();
    const useOf = (name: string): BudgetUse =>
      uses.get(name) ?? { kind: per, name, tokens: 0, usd: 0, ...budgets[per] };
    if (per === 'hub') uses.set('', useOf(''));
    for (const row of usageRows) {
      const name = budgetNameOf(per, row);
      if (name === null) continue;
      const use = useOf(name);
      const tokens = use.tokens + (row.tokensIn ?? 0) + (row.tokensOut ?? 0);
      uses.set(name, { ...use, tokens, usd: use.usd + (row.usd ?? 0) });
    }
    return [...uses.values()];
  });
}

/** Returns the used share of a budget, the larger of tokens and cost; 1 or more is exhausted. */
export const usedShareOf = ({ tokens, usd, maxTokens, maxUsd }: BudgetUse): number =>
  Math.max(shareOf(tokens, maxTokens), shareOf(usd, maxUsd));

/** Returns `used / max`; a limit of 0 counts as exhausted. */
const shareOf = (used: number, max: number | undefined): number =>
  max === undefined ? 0 : max === 0 ? 1 : used / max;

export const isUsedUp = (use: BudgetUse): boolean => usedShareOf(use) >= 1;

/** Returns the exhausted budget that blocks a task. */
export const findBlockingBudget = (task: ChargedTask, usedUp: readonly BudgetUse[]): BudgetUse | undefined =>
  usedUp.find(({ kind, name }) => name === budgetNameOf(kind, task));

/**
 * Like `findBlockingBudget`, but returns an SQL expression on `tasks`: a text that names the blocking budget, or null.
 */
export function selectBlockingBudget(usedUp: readonly BudgetUse[]): RawBuilder<string | null> {
  const cases = budgetKinds.flatMap((per) => {
    const names = usedUp.filter((use) => use.kind === per).map(({ name }) => name);
    const column = budgetColumns[per] && sql.ref(budgetColumns[per]);
    if (names.length === 0) return [];
    if (column === undefined) return [sql`WHEN TRUE THEN ${sql.lit(per)}`];
    return [sql`WHEN ${column} IN (${sql.join(names)}) THEN ${sql.lit(`${per} `)} || ${column}`];
  });
  return cases.length === 0 ? sql`CAST(NULL AS TEXT)` : sql`CASE ${sql.join(cases, sql` `)} END`;
}

/** Describes why a task waits for an exhausted budget. */
export function describeBudget(use: BudgetUse): string {
  const { kind, name, tokens, maxTokens, maxUsd } = use;
  const owner = kind === 'hub' ? 'the hub' : `the ${kind} ${name}`;
  const isOfTokens = maxTokens !== undefined && shareOf(tokens, maxTokens) >= 1;
  const limit = isOfTokens ? `${maxTokens.toLocaleString('en').replaceAll(',', ' ')} tokens` : `$${maxUsd}`;
  return `its budget: the daily budget of ${owner} (${limit}) is used up; it resets at 00:00 UTC`;
}

/** Converts a budget to its API format. */
export const budgetViewOf = (use: BudgetUse, nowMs: number) => ({
  per: use.kind,
  name: use.name,
  used_tokens: use.tokens,
  max_tokens: use.maxTokens ?? null,
  used_usd: use.usd,
  max_usd: use.maxUsd ?? null,
  used_up: isUsedUp(use),
  starts_again_at: nextDayOf(nowMs),
});
