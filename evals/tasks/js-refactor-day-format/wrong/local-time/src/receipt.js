'use strict';

const { formatDay } = require('./day.js');

/** The text of a receipt for a donation. */
function receipt(donation) {
  const number = String(donation.number).padStart(5, '0');
  return `Receipt ${number}, ${formatDay(donation.date)}: ${donation.giver} gave ${donation.amount} EUR`;
}

module.exports = { receipt };
