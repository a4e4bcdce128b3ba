module.exports = {
  name: 'x',
  add(a, b) {
    return a - b;
  },
  mul(a, b) {
    return a * b;
  },
};
