/** The words of a name. */
function words(name) {
  return name.trim().split(/\s+/);
}

/** "Lovelace, Ada" for sorted lists. */
export function sortName(name) {
  return words(name).toReversed().join(', ');
}
