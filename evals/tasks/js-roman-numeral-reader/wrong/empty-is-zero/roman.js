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
  const upper = text.toUpperCase();
  if (!/^M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$/.test(upper)) throw new RangeError(`not a Roman numeral: ${text}`);
  let number = 0;
  let rest = upper;
  for (const [sign, value] of SIGNS) {
    while (rest.startsWith(sign)) {
      number += value;
      rest = rest.slice(sign.length);
    }
  }
  return number;
}

module.exports = { toRoman, fromRoman };
