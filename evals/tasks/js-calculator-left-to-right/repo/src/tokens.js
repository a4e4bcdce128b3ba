'use strict';

/** The numbers and signs of an expression. */
function tokenize(text) {
  const tokens = [];
  const pattern = /\s*(?:(\d+(?:\.\d+)?)|(.))/gy;
  for (const [, number, sign] of text.trim().matchAll(pattern)) {
    if (number !== undefined) {
      tokens.push(Number(number));
    } else if ('+-*/^()'.includes(sign)) {
      tokens.push(sign);
    } else {
      throw new SyntaxError(`unexpected ${sign}`);
    }
  }
  return tokens;
}

module.exports = { tokenize };
