export function two() {
  return 2;
}
