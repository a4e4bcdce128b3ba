'use strict';

const { price } = require('./price.js');

/** The report on some stays: a line for each kind of vehicle, then the total. */
function report(stays) {
  const cars = stays.filter((stay) => stay.kind === 'car');
  const vans = stays.filter((stay) => stay.kind === 'van');
  const motorcycles = stays.filter((stay) => stay.kind === 'motorcycle');
  return [
    line('car', cars),
    line('van', vans),
    ...(motorcycles.length > 0 ? [line('motorcycle', motorcycles)] : []),
    line('total', [...cars, ...vans, ...motorcycles]),
  ].join('\n');
}

function line(title, stays) {
  let cents = 0;
  for (const stay of stays) cents += price(stay.kind, stay.minutes);
  return `${title}: ${stays.length} parked, ${(cents / 100).toFixed(2)}`;
}

module.exports = { report };
