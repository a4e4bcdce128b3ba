export const STAMPS_A_CARD = 10;

/** A new card without stamps. */
export function newCard(owner) {
  return { owner, stamps: 0, free: 0 };
}

/** Adds a stamp for each coffee that was paid for. A full card becomes a free coffee. */
export function addStamps(card, coffees) {
  if (!Number.isInteger(coffees) || coffees < 1) throw new RangeError(`not a number of coffees: ${coffees}`);
  card.stamps += coffees;
  if (card.stamps >= STAMPS_A_CARD) {
    card.free += 1;
    card.stamps = 0;
  }
}

/** Takes one free coffee off the card. */
export function redeem(card) {
  if (card.free === 0) throw new Error(`${card.owner} has no free coffee`);
  card.free -= 1;
}
