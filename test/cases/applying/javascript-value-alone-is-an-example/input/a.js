export function add(a, b) {
  const sum = a - b;
  return sum;
}

export function twice(x) {
  const cart = new Cart(items);
  return add(x, x);
}
