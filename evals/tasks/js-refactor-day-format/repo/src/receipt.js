'use strict';

function dayText(date) {
  const month = String(date.getUTCMonth() + 1).padStart(2, '0');
  const day = String(date.getUTCDate()).padStart(2, '0');
  return `${date.getUTCFullYear()}-${month}-${day}`;
}

/** The text of a receipt for a donation. */
function receipt(donation) {
  const number = String(donation.number).padStart(5, '0');
  return `Receipt ${number}, ${dayText(donation.date)}: ${donation.giver} gave ${donation.amount} EUR`;
}

module.exports = { receipt };
