export function a(x) {
  const y = x + 2;
  return y;
}
