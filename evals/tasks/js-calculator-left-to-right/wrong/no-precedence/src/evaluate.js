'use strict';

const { tokenize } = require('./tokens.js');

/** The value of an expression such as '2 * (3 + 4)'. */
function evaluate(text) {
  const tokens = tokenize(text);
  const value = sum(tokens);
  if (tokens.length > 0) throw new SyntaxError(`unexpected ${tokens[0]}`);
  return value;
}

function sum(tokens) {
  let value = sign(tokens);
  while (['+', '-', '*', '/'].includes(tokens[0])) {
    const operator = tokens.shift();
    const right = sign(tokens);
    if (operator === '+') value += right;
    if (operator === '-') value -= right;
    if (operator === '*') value *= right;
    if (operator === '/') value /= right;
  }
  return value;
}

function sign(tokens) {
  if (tokens[0] === '-') {
    tokens.shift();
    return -sign(tokens);
  }
  return power(tokens);
}

function power(tokens) {
  const base = atom(tokens);
  if (tokens[0] === '^') {
    tokens.shift();
    return base ** sign(tokens);
  }
  return base;
}

function atom(tokens) {
  const token = tokens.shift();
  if (typeof token === 'number') return token;
  if (token === '(') {
    const value = sum(tokens);
    if (tokens.shift() !== ')') throw new SyntaxError('missing )');
    return value;
  }
  throw new SyntaxError(token === undefined ? 'unexpected end' : `unexpected ${token}`);
}

module.exports = { evaluate };
