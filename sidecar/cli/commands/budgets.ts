/** `budgets`: what a hub, its submitters and its repositories may use a day, and what they have used today. */
import type { HubBudget } from '../../hub-client/hub-client.ts';
import { printableLine } from '../../values/printable.ts';
import { connectHub, type HubFlags } from '../hub-address.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

export async function budgetsCommand(options: HubFlags): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const budgets = await (await connectHub(options)).budgets();
  if (terminal.json) terminal.data(budgets);
  else if (budgets.length === 0)
    terminal.line('No budget is set, or nothing was used today (embeddedHub.dailyBudgets).');
  else showBudgets(terminal, budgets);
}

function showBudgets({ color, table, width }: Terminal, budgets: readonly HubBudget[]): void {
  const rows = budgets.map((one) => [
    one.per,
    printableLine(one.name, Math.max(20, width - 70)),
    `${one.used_tokens}${one.max_tokens == null ? '' : ` of ${one.max_tokens}`}`,
    `$${one.used_usd.toFixed(2)}${one.max_usd == null ? '' : ` of $${one.max_usd}`}`,
    one.used_up ? color.red('used up until 00:00 UTC') : '',
  ]);
  table(rows, ['BUDGET OF', 'NAME', 'TOKENS TODAY', 'COST', '']);
}
