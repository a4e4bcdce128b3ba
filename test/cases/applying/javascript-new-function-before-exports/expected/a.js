function one() {
  return 1;
}

function two() {
  return one() + 1;
}

function three() {
  return 3;
}

module.exports = { one, two, three };
