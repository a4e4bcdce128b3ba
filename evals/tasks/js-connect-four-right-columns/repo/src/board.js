'use strict';

const ROWS = 6;
const COLUMNS = 7;

/** An empty board: its rows from the top, '.' where there is no piece. */
function createBoard() {
  return Array.from({ length: ROWS }, () => Array(COLUMNS).fill('.'));
}

/** Drops a piece of the player into a column (0 to 6). */
function drop(board, column, player) {
  for (let row = ROWS - 1; row >= 0; row--) {
    if (board[row][column] === '.') {
      board[row][column] = player;
      return;
    }
  }
  throw new Error(`column ${column + 1} is full`);
}

function show(board) {
  return board.map((row) => row.join('')).join('\n');
}

module.exports = { ROWS, COLUMNS, createBoard, drop, show };
