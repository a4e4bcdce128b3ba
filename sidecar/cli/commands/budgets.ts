/** `budgets`: lists the daily budgets of a hub, its submitters and its repositories with today's usage. */
import { toPrintableLine } from '../../base/values/printable.ts';
import { openHub, type HubFlags } from '../hub-address.ts';

export async function budgetsCommand(options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  terminal.list(await client.budgets(), {
    emptyText: 'No daily budget is set (embeddedHub.dailyBudgets), or nothing was used today.',
    titles: ['BUDGET OF', 'NAME', 'TOKENS TODAY', 'COST', ''],
    row: (budget) => [
      budget.per,
      toPrintableLine(budget.name, Math.max(20, terminal.width - 70)),
      `${budget.used_tokens}${budget.max_tokens == null ? '' : ` of ${budget.max_tokens}`}`,
      `$${budget.used_usd.toFixed(2)}${budget.max_usd == null ? '' : ` of $${budget.max_usd}`}`,
      budget.used_up ? terminal.color.red('exhausted until 00:00 UTC') : '',
    ],
  });
}
