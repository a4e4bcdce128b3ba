import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newGame, playTurn } from './src/game.js';
import { average, standings } from './src/stats.js';

test('each kind of bust', () => {
  const cases = [
    [['10', '20', '11'], 40, 'bust', 40],
    [['10', '2', 'T19'], 40, 'bust', 40],
    [['10', '9', '20'], 40, 'bust', 40],
    [['20', '20'], 40, 'bust', 40],
    [['20', 'T7', '5'], 42, 'bust', 42],
    [['T20'], 60, 'bust', 60],
    [['Bull'], 51, 'bust', 51],
  ];
  for (const [darts, start, result, left] of cases) {
    const game = newGame(['Ann', 'Ben'], start);
    assert.equal(playTurn(game, darts), result, darts.join());
    assert.equal(game.players[0].left, left, darts.join());
    assert.equal(game.players[0].turns, 1);
    assert.equal(game.next, 1);
    assert.equal(game.winner, null);
  }
});

test('a bust goes back to the score before the turn, not to the start', () => {
  const game = newGame(['Ann', 'Ben'], 101);
  assert.equal(playTurn(game, ['20', '20']), 'scored');
  assert.equal(playTurn(game, ['T20', '10']), 'scored');
  assert.equal(playTurn(game, ['20', '20', '20']), 'bust');
  assert.equal(playTurn(game, ['10', 'T20']), 'bust');
  assert.deepEqual(standings(game), ['Ben 31', 'Ann 61']);
  assert.equal(average(game, 'Ann'), '20.0');
});

test('winning and scoring stay', () => {
  const game = newGame(['Ann'], 32);
  assert.equal(playTurn(game, ['D16', '20', '5']), 'won');
  assert.equal(game.players[0].left, 0);
  assert.throws(() => playTurn(game, ['1']), /over/);
  const other = newGame(['Ann'], 170);
  assert.throws(() => playTurn(other, ['1', '1', '1', '1']), /too many/);
  assert.throws(() => playTurn(other, ['21']), /not a field/);
  assert.equal(playTurn(other, ['T20', 'T20', 'Bull']), 'won');
});
