function words(name) {
  return name.trim().split(/\s+/);
}

function sortName(name) {
  return words(name).toReversed().join(', ');
}

module.exports = { sortName };
