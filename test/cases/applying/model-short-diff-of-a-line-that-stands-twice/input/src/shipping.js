const RATES = {
  DE: { cents: 490, freeFromCents: 5000 },
  AT: { cents: 890, freeFromCents: 8000 },
  CH: { cents: 1490, freeFromCents: null },
};

/** Shipping in cents for goods of this worth. A country without a free limit always pays. */
export function shippingCost(goodsCents, country) {
  const rate = RATES[country];
  if (!rate) throw new RangeError(`we do not ship to ${country}`);
  if (rate.freeFromCents !== null && goodsCents > rate.freeFromCents) return 0;
  return rate.cents;
}

/** How many cents are missing until shipping is free; null where it never is. */
export function missingForFree(goodsCents, country) {
  const rate = RATES[country];
  if (!rate || rate.freeFromCents === null) return null;
  return Math.max(0, rate.freeFromCents - goodsCents);
}
