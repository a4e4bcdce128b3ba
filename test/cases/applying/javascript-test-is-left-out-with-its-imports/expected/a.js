export function a() {
  return 2;
}
