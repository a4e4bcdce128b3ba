export function increment(a) {
  return a + 1;
}

export function use() {
  return increment(2);
}
