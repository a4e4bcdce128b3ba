function one() {
  return 1;
}

module.exports = { one };
