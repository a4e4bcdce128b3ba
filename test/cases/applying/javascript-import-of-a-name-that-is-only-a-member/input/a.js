export function f(o) {
  return 1;
}
