export function f(o) {
  return o.round(1);
}
