/** The words of a name. */
function words(name) {
  return name.trim().split(/\s+/);
}

function joined(parts) {
  return parts.filter(Boolean).join(', ');
}

/** "Lovelace, Ada" for sorted lists. */
export function sortName(name) {
  return joined(words(name).toReversed());
}
