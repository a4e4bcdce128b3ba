exports.add = function (a, b) {
  return a - b;
};

exports.mul = (a, b) => a / b;
