module.exports = {
  name: 'x',
  add(a, b) {
    return a - b;
  },
  mul: function (a, b) {
    return a / b;
  },
  neg: (a) => a,
};
