import { formatMoney, type Currency } from './money.ts';

export interface Entry {
  text: string;
  amount: number;
}

/** The sum of all entries. */
export function balance(entries: Entry[]): number {
  return entries.reduce((sum, entry) => sum + entry.amount, 0);
}

/** One line an entry, amounts to the right, the balance below. */
export function renderStatement(entries: Entry[], currency: Currency): string {
  const rows = entries.map((entry) => [entry.text, formatMoney(entry.amount, currency)]);
  rows.push(['Balance', formatMoney(balance(entries), currency)]);
  const left = Math.max(...rows.map(([text]) => text.length));
  const right = Math.max(...rows.map(([, amount]) => amount.length));
  return rows.map(([text, amount]) => `${text.padEnd(left)}  ${amount.padStart(right)}`).join('\n');
}
