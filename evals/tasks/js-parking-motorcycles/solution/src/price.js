'use strict';

/** What a stay costs in cents: each hour that has begun, up to the highest price of a day. */
function price(kind, minutes) {
  const hours = Math.ceil(minutes / 60);
  if (kind === 'van') return Math.min(hours * 300, 2400);
  if (kind === 'motorcycle') return Math.min(hours * 100, 600);
  return Math.min(hours * 200, 1600);
}

module.exports = { price };
