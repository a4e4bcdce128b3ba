export interface Share {
  name: string;
  cents: number;
}

/** Splits an amount of cents into equal parts. */
export function splitBill(totalCents: number, people: number): number[] {
  if (!Number.isInteger(people) || people < 1) throw new RangeError('at least one person has to pay');
  const each = Math.floor(totalCents / people);
  const shares = new Array<number>(people).fill(each);
  shares[0] = totalCents - each * (people - 1);
  return shares;
}

/** Splits an amount by name. */
export function splitByName(totalCents: number, names: string[]): Share[] {
  const shares = splitBill(totalCents, names.length);
  return names.map((name, i) => ({ name, cents: shares[i] ?? 0 }));
}
