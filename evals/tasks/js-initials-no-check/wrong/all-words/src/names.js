/** The words of a name. */
function words(name) {
  return name.trim().split(/\s+/).filter((word) => word !== '');
}

/** "Ada Lovelace" for "  ada LOVELACE ". */
export function displayName(name) {
  return words(name)
    .map((word) => word[0].toUpperCase() + word.slice(1).toLowerCase())
    .join(' ');
}

export function initials(name) {
  return words(name).map((word) => word[0].toUpperCase()).join('') || '?';
}

/** "Lovelace, Ada" for sorted lists. */
export function sortName(name) {
  const all = words(displayName(name));
  if (all.length < 2) return all.join('');
  return `${all.at(-1)}, ${all.slice(0, -1).join(' ')}`;
}
