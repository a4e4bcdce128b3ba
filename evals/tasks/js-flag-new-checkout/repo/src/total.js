/** Until March: every line is rounded. */
export function oldTotal(lines) {
  return lines.reduce((sum, { price, count }) => sum + Math.round(price * count), 0);
}

export function total(lines) {
  return Math.round(lines.reduce((sum, { price, count }) => sum + price * count, 0));
}
