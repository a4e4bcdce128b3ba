import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newGame, playTurn } from '../src/game.js';
import { average, standings } from '../src/stats.js';

test('a turn is counted', () => {
  const game = newGame(['Ann', 'Ben']);
  assert.equal(playTurn(game, ['T20', '5', 'D16']), 'scored');
  assert.equal(playTurn(game, ['T20', 'T20', 'T20']), 'scored');
  assert.deepEqual(standings(game), ['Ben 321', 'Ann 404']);
  assert.equal(average(game, 'Ann'), '97.0');
});

test('a bust counts nothing', () => {
  const game = newGame(['Ann'], 60);
  assert.equal(playTurn(game, ['20', '20', 'T20']), 'bust');
  assert.deepEqual(standings(game), ['Ann 60']);
  assert.equal(average(game, 'Ann'), '0.0');
});

test('double out', () => {
  const game = newGame(['Ann'], 40);
  assert.equal(playTurn(game, ['20', 'D10']), 'won');
  assert.equal(game.winner, 'Ann');
});
