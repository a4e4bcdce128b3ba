export function calc(a) {
  return a + 1;
}

export function use() {
  return calc(2);
}
