export const LEVELS = ['debug', 'info', 'warn', 'error'];

/** Whether a message of this level shows when the logger is set to `least`. */
export function isShown(level, least) {
  const at = LEVELS.indexOf(least);
  const from = LEVELS.indexOf(least);
  if (at === -1) throw new RangeError(`unknown level: ${level}`);
  if (from === -1) throw new RangeError(`unknown level: ${least}`);
  return at > from;
}
