/** Sum of items with tax, rounded to whole cents. */
export function totalOf(items, tax) {
  const net = items.reduce((sum, item) => sum + item.cents * (item.count ?? 1), 0);
  return Math.round(net * (1 + tax.percent / 100));
}
