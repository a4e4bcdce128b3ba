function ad(a, b) {
  return a + b;
}

module.exports = { ad };
