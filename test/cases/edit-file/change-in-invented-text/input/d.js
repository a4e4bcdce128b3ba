export function delay(after, now) {
  return after ?? now;
}
