/** The words of a name. */
function words(name) {
  return name.trim().split(/\s+/);
}

/** "Lovelace, Ada" for sorted lists. */
export function sortName(name) {
  return words(name).toReversed().join(', ');
}

/** "AL" for an avatar. */
export function initials(name) {
  return words(name).map((word) => word[0]).join('');
}
