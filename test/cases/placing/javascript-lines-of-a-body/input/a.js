export function a(x) {
  const y = x + 1;
  return y;
}
