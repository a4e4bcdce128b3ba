function same(a, b) {
  // other values are not the same
  return a === b;
}
