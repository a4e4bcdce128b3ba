function helper(x) {
  return x;
}

function one() {
  return helper(1);
}

module.exports = { one };
