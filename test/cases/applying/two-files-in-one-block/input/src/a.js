export function one() {
  return 2;
}
