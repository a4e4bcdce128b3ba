import { splitByName, type Share } from './bill.ts';

/** "3.34" for 334 cents. */
export function money(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** A line for each person. */
export function receipt(totalCents: number, names: string[]): string {
  return splitByName(totalCents, names)
    .map((share: Share) => `${share.name.padEnd(10)}${money(share.cents).padStart(8)}`)
    .join('\n');
}
