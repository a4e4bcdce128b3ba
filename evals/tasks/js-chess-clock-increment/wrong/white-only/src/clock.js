const OTHER = { white: 'black', black: 'white' };

/** A clock for two players. `minutes` each, and `increment` seconds for every move. */
export function createClock({ minutes, increment = 0 }) {
  return {
    left: { white: minutes * 60_000, black: minutes * 60_000 },
    moves: { white: 0, black: 0 },
    increment: increment * 1000,
    active: 'white',
    runningSince: null,
    lost: null,
  };
}

export function start(clock, now) {
  if (clock.lost) throw new Error('the game is over');
  clock.runningSince = now;
}

/** Stops the clock; what the active player has used so far counts. */
export function pause(clock, now) {
  if (clock.runningSince === null) return;
  clock.left[clock.active] = Math.max(0, clock.left[clock.active] - (now - clock.runningSince));
  clock.runningSince = null;
}

/** The active player has moved and presses the clock: now the other player's time runs. */
export function press(clock, now) {
  if (clock.runningSince === null) throw new Error('the clock is not running');
  pause(clock, now);
  if (clock.left[clock.active] === 0) {
    clock.lost = clock.active;
    return;
  }
  clock.moves[clock.active] += 1;
  clock.active = OTHER[clock.active];
  clock.left.white += clock.increment;
  clock.runningSince = now;
}
