/** `budgets`: lists the daily budgets of a hub, its submitters and its repositories with today's usage. */
import { printableLine } from '../../base/values/printable.ts';
import { openHub, type HubFlags } from '../hub-address.ts';

export async function budgetsCommand(options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  terminal.list(await client.budgets(), {
    none: 'No budget is set, or nothing was used today (embeddedHub.dailyBudgets).',
    titles: ['BUDGET OF', 'NAME', 'TOKENS TODAY', 'COST', ''],
    row: (one) => [
      one.per,
      printableLine(one.name, Math.max(20, terminal.width - 70)),
      `${one.used_tokens}${one.max_tokens == null ? '' : ` of ${one.max_tokens}`}`,
      `$${one.used_usd.toFixed(2)}${one.max_usd == null ? '' : ` of $${one.max_usd}`}`,
      one.used_up ? terminal.color.red('used up until 00:00 UTC') : '',
    ],
  });
}
