export function two() {
  return 1;
}
