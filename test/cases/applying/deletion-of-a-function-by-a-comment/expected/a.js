function mean(values) {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

function sum(values) {
  return values.reduce((a, b) => a + b, 0);
}

module.exports = { mean, sum };
