function one() {
  return 1;
}

function two() {
  return one() + 1;
}

module.exports = { one, two };
