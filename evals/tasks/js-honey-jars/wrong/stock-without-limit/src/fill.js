/** Which jars of the stock (a list of `{ size, count }`) are filled with so many grams of honey. */
export function fill(grams, stock) {
  const jars = [];
  let left = grams;
  for (const { size, count: available } of [...stock].sort((a, b) => b.size - a.size)) {
    const count = available > 0 ? Math.floor(left / size) : 0;
    if (count === 0) continue;
    jars.push({ size, count });
    left -= count * size;
  }
  return { jars, left };
}
