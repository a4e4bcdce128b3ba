const A = 1;

function one() {
  return A;
}

module.exports = { one };
