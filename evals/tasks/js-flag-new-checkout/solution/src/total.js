export function total(lines) {
  return Math.round(lines.reduce((sum, { price, count }) => sum + price * count, 0));
}
