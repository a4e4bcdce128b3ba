'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { createBoard, drop } = require('../src/board.js');
const { winner } = require('../src/winner.js');

function play(moves) {
  const board = createBoard();
  [...moves].forEach((digit, i) => drop(board, Number(digit) - 1, i % 2 === 0 ? 'X' : 'O'));
  return board;
}

test('nobody yet', () => {
  assert.equal(winner(createBoard()), null);
  assert.equal(winner(play('112233')), null);
});

test('four beside each other', () => {
  assert.equal(winner(play('1122334')), 'X');
  assert.equal(winner(play('4455667')), 'X');
});

test('four on top of each other', () => {
  assert.equal(winner(play('1212121')), 'X');
  assert.equal(winner(play('7171717')), 'X');
});
