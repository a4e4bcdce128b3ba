/**
 * What the whole hub, each submitter and each repository may use a day of UTC. The figures are the sums over the attempts
 * that began on that day. Where a budget is used up, no worker is given a task of it until the next day; what runs goes on.
 */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Clock } from '../../ports.ts';
import { DAY_MS } from '../storage/count-figures.ts';
import type { TaskHead } from '../storage/tables.ts';
import type { HubStore } from '../storage/unit-of-work.ts';

export const budgetKinds = ['hub', 'submitter', 'repository'] as const;
export type BudgetKind = (typeof budgetKinds)[number];
interface Limits {
  maxTokens?: number | undefined;
  maxUsd?: number | undefined;
}
/** The limits of a day: of the hub, of every submitter, of every repository. */
export type DailyBudgets = Partial<Record<BudgetKind, Limits | undefined>>;

/** A budget and what was used of it today. */
export interface BudgetUse extends Limits {
  per: BudgetKind;
  /** The submitter or the repository; empty for the hub. */
  name: string;
  tokens: number;
  usd: number;
}

/** Where tasks are counted to: the name of the authenticated token, the address without credentials. */
type Spender = Pick<TaskHead, 'submitted_by' | 'repo'>;

/** Where a task has the name that a budget counts by; all tasks count to the hub's. */
const columnOf = { hub: undefined, submitter: 'submitted_by', repository: 'repo' } as const;

const nameOf = (per: BudgetKind, of: Spender): string | null => {
  const column = columnOf[per];
  return column === undefined ? '' : of[column];
};

/** When the day of UTC began, in milliseconds since the epoch. */
export const dayStartMs = (nowMs: number): number => nowMs - (nowMs % DAY_MS);

/** When all budgets begin anew, in milliseconds since the epoch. */
export const nextDayMs = (nowMs: number): number => dayStartMs(nowMs) + DAY_MS;

/** All budgets that are set, as far as something was used of them today; the hub's own always. Rejects when the database does. */
export async function budgetUses(
  { clock, budgets = {} }: { clock: Clock; budgets?: DailyBudgets | undefined },
  db: HubStore['db'],
): Promise<BudgetUse[]> {
  const set = budgetKinds.filter((per) => budgets[per]);
  if (set.length === 0) return [];
  const spent = await db
    .selectFrom('attempts')
    .innerJoin('tasks', 'tasks.id', 'attempts.task_id')
    .select(({ fn }) => [
      'submitted_by',
      'repo',
      fn.sum<number | null>('attempts.tokens_in').as('tokensIn'),
      fn.sum<number | null>('attempts.tokens_out').as('tokensOut'),
      fn.sum<number | null>('attempts.cost_usd').as('usd'),
    ])
    .where('attempts.started_at', '>=', dayStartMs(clock.now()))
    .groupBy(['submitted_by', 'repo'])
    .execute();
  return set.flatMap((per) => {
    const uses = new Map<string, BudgetUse>();
    const useOf = (name: string): BudgetUse =>
      uses.get(name) ?? { per, name, tokens: 0, usd: 0, ...budgets[per] };
    if (per === 'hub') uses.set('', useOf(''));
    for (const row of spent) {
      const name = nameOf(per, row);
      if (name === null) continue;
      const use = useOf(name);
      const tokens = use.tokens + (row.tokensIn ?? 0) + (row.tokensOut ?? 0);
      uses.set(name, { ...use, tokens, usd: use.usd + (row.usd ?? 0) });
    }
    return [...uses.values()];
  });
}

/** The largest part of it that is used; from 1 on it is used up. */
export const shareUsed = ({ tokens, usd, maxTokens, maxUsd }: BudgetUse): number =>
  Math.max(shareOf(tokens, maxTokens), shareOf(usd, maxUsd));

/** Of a budget of nothing all is used. */
const shareOf = (used: number, max: number | undefined): number =>
  max === undefined ? 0 : max === 0 ? 1 : used / max;

export const isUsedUp = (use: BudgetUse): boolean => shareUsed(use) >= 1;

/** The used-up budget that keeps a task waiting. */
export const budgetInTheWay = (task: Spender, usedUp: readonly BudgetUse[]): BudgetUse | undefined =>
  usedUp.find(({ per, name }) => name === nameOf(per, task));

/** The same as an expression on `tasks`, for each budget another text; null where none is in the way. */
export function budgetInTheWayColumn(usedUp: readonly BudgetUse[]): RawBuilder<string | null> {
  const cases = budgetKinds.flatMap((per) => {
    const names = usedUp.filter((use) => use.per === per).map(({ name }) => name);
    const column = columnOf[per] && sql.ref(columnOf[per]);
    if (names.length === 0) return [];
    if (column === undefined) return [sql`WHEN TRUE THEN ${sql.lit(per)}`];
    return [sql`WHEN ${column} IN (${sql.join(names)}) THEN ${sql.lit(`${per} `)} || ${column}`];
  });
  return cases.length === 0 ? sql`CAST(NULL AS TEXT)` : sql`CASE ${sql.join(cases, sql` `)} END`;
}

/** What a task waits for whose budget is used up. */
export function budgetReason(use: BudgetUse): string {
  const { per, name, tokens, maxTokens, maxUsd } = use;
  const whose = per === 'hub' ? 'the hub' : `the ${per} ${name}`;
  const isOfTokens = maxTokens !== undefined && shareOf(tokens, maxTokens) >= 1;
  const limit = isOfTokens ? `${maxTokens.toLocaleString('en').replaceAll(',', ' ')} tokens` : `$${maxUsd}`;
  return `its budget: that of ${whose}, ${limit} a day, is used up; it starts again at 00:00 UTC`;
}

/** A budget as the API shows it. */
export const budgetView = (use: BudgetUse, nowMs: number) => ({
  per: use.per,
  name: use.name,
  used_tokens: use.tokens,
  max_tokens: use.maxTokens ?? null,
  used_usd: use.usd,
  max_usd: use.maxUsd ?? null,
  used_up: isUsedUp(use),
  starts_again_at: nextDayMs(nowMs),
});
