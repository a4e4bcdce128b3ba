'use strict';

const { ROWS, COLUMNS } = require('./board.js');

// right, down, down right, down left
const DIRECTIONS = [[0, 1], [1, 0], [1, 1], [1, -1]];

/** The player with four in a row: 'X', 'O' or null. */
function winner(board) {
  for (let row = 0; row < ROWS; row++) {
    for (let column = 0; column + 3 < COLUMNS; column++) {
      const player = board[row][column];
      if (player === '.') continue;
      for (const [down, right] of DIRECTIONS) {
        if (isFour(board, row, column, down, right)) return player;
      }
    }
  }
  for (let column = 0; column < COLUMNS; column++) {
    for (let row = 0; row + 3 < ROWS; row++) {
      const player = board[row][column];
      if (player !== '.' && isFour(board, row, column, 1, 0)) return player;
    }
  }
  return null;
}

function isFour(board, row, column, down, right) {
  for (let step = 1; step < 4; step++) {
    if (board[row + step * down]?.[column + step * right] !== board[row][column]) return false;
  }
  return true;
}

module.exports = { winner };
