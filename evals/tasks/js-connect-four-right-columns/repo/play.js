#!/usr/bin/env node
'use strict';

const { createBoard, drop, show } = require('./src/board.js');
const { winner } = require('./src/winner.js');

const board = createBoard();
let player = 'X';
for (const digit of process.argv[2] ?? '') {
  drop(board, Number(digit) - 1, player);
  if (winner(board)) break;
  player = player === 'X' ? 'O' : 'X';
}
console.log(show(board));
console.log(winner(board) ? `${winner(board)} wins` : `${player} is next`);
