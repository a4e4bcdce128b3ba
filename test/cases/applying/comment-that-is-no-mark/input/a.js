function same(a, b) {
  return a;
}
