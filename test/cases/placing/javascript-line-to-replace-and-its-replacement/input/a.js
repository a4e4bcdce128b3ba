export function a(x) {
  if (x > 1) {
    return 1;
  }
  return 2;
}
