function words(name) {
  return name.trim().split(/\s+/);
}

function sortName(name) {
  return words(name).toReversed().join(', ');
}

function initials(name) {
  return words(name).map((word) => word[0]).join('');
}

module.exports = { sortName, initials };
