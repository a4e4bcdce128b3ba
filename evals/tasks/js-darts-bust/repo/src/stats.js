/** The average points a turn, with one decimal. */
export function average(game, name) {
  const player = game.players.find((each) => each.name === name);
  if (!player) throw new Error(`no such player: ${name}`);
  if (player.turns === 0) return '0.0';
  return ((game.start - player.left) / player.turns).toFixed(1);
}

/** The players, those with the fewest points left first. */
export function standings(game) {
  return [...game.players]
    .sort((a, b) => a.left - b.left)
    .map((player) => `${player.name} ${player.left}`);
}
