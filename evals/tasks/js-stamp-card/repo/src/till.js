import { STAMPS_A_CARD, addStamps, redeem } from './card.js';

/** Rings up an order. `useFree` of the coffees are paid with free ones. Returns the price in cents. */
export function order(card, coffees, { price = 280, useFree = 0 } = {}) {
  if (useFree > coffees) throw new RangeError('more free coffees than coffees');
  for (let i = 0; i < useFree; i += 1) redeem(card);
  const paid = coffees - useFree;
  if (paid > 0) addStamps(card, paid);
  return paid * price;
}

/** The line on the receipt. */
export function cardLine(card) {
  const free = card.free === 1 ? '1 free coffee' : `${card.free} free coffees`;
  return `${card.owner}: ${card.stamps} of ${STAMPS_A_CARD} stamps, ${free}`;
}
