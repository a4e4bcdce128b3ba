class Sums {
  add(a, b) {
    return a - b;
  }

  twice(a) {
    return 2 * a;
  }
}

module.exports = { Sums };
