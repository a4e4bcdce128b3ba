'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { test } = require('node:test');
const { ROWS, COLUMNS, createBoard } = require('./src/board.js');
const { winner } = require('./src/winner.js');

function line(row, column, down, right, count, player) {
  const board = createBoard();
  for (let i = 0; i < count; i++) board[row + i * down][column + i * right] = player;
  return board;
}

test('four in every place and direction', () => {
  for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
    for (let row = 0; row < ROWS; row++) {
      for (let column = 0; column < COLUMNS; column++) {
        const lastRow = row + 3 * down;
        const lastColumn = column + 3 * right;
        if (lastRow >= ROWS || lastColumn >= COLUMNS || lastColumn < 0) continue;
        const player = (row + column) % 2 ? 'X' : 'O';
        assert.equal(winner(line(row, column, down, right, 4, player)), player, `${row} ${column} ${down} ${right}`);
        assert.equal(winner(line(row, column, down, right, 3, player)), null);
      }
    }
  }
});

test('not round the edge, not of two players', () => {
  const board = createBoard();
  for (const [row, column] of [[5, 5], [5, 6], [4, 0], [4, 1]]) board[row][column] = 'X';
  assert.equal(winner(board), null);
  const sides = createBoard();
  for (const column of [5, 6, 0, 1]) sides[5][column] = 'O';
  assert.equal(winner(sides), null);
  const mixed = line(2, 6, 1, 0, 4, 'X');
  mixed[4][6] = 'O';
  assert.equal(winner(mixed), null);
});

test('the game', () => {
  const run = (moves) => spawnSync(process.execPath, ['play.js', moves], { encoding: 'utf8' }).stdout.trim().split('\n').pop();
  assert.equal(run('7171717'), 'X wins');
  assert.equal(run('16565656'), 'O wins');
  assert.equal(run('7766554'), 'X wins');
  assert.equal(run('77'), 'X is next');
});
