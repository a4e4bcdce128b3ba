'use strict';

/** The age in words: months in the first year, then full years. */
function ageText(months) {
  if (months < 12) return months === 1 ? '1 month' : `${months} months`;
  const years = Math.floor(months / 12);
  return years === 1 ? '1 year' : `${years} years`;
}

module.exports = { ageText };
