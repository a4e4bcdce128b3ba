'use strict';

const SIGNS = [
  ['M', 1000], ['CM', 900], ['D', 500], ['CD', 400], ['C', 100], ['XC', 90],
  ['L', 50], ['XL', 40], ['X', 10], ['IX', 9], ['V', 5], ['IV', 4], ['I', 1],
];

/** A number from 1 to 3999 as a Roman numeral. */
function toRoman(number) {
  if (!Number.isInteger(number) || number < 1 || number > 3999) throw new RangeError(`not from 1 to 3999: ${number}`);
  let text = '';
  let rest = number;
  for (const [sign, value] of SIGNS) {
    while (rest >= value) {
      text += sign;
      rest -= value;
    }
  }
  return text;
}

/** The number of a Roman numeral, upper or lower case. */
function fromRoman(text) {
  const values = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };
  let number = 0;
  const signs = [...text.toUpperCase()];
  signs.forEach((sign, i) => {
    if (!(sign in values)) throw new RangeError(`not a Roman numeral: ${text}`);
    const value = values[sign];
    number += value < values[signs[i + 1]] ? -value : value;
  });
  if (number < 1 || number > 3999) throw new RangeError(`not a Roman numeral: ${text}`);
  return number;
}

module.exports = { toRoman, fromRoman };
