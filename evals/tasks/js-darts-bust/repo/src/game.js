import { parseDart } from './board.js';

const DARTS_A_TURN = 3;

/** A new game; the players throw in the order of their names in the list. */
export function newGame(names, start = 501) {
  return {
    start,
    players: names.map((name) => ({ name, left: start, turns: 0 })),
    next: 0,
    winner: null,
  };
}

/** Plays a turn of the player whose turn it is. Returns `scored`, `bust` or `won`. */
export function playTurn(game, darts) {
  if (game.winner) throw new Error('the game is over');
  if (darts.length > DARTS_A_TURN) throw new Error('too many darts');
  const thrown = darts.map(parseDart);

  const player = game.players[game.next];
  game.next = (game.next + 1) % game.players.length;
  player.turns += 1;

  for (const { points, isDouble } of thrown) {
    const left = player.left - points;
    if (left < 0 || left === 1 || (left === 0 && !isDouble)) {
      return 'bust';
    }
    player.left = left;
    if (left === 0) {
      game.winner = player.name;
      return 'won';
    }
  }
  return 'scored';
}
