exports.add = function add(a, b) {
  return a + b;
};

exports.mul = (a, b) => a * b;
