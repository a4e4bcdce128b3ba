const A = 1;

const B = 2;

function one() {
  return A + B;
}

module.exports = { one };
