/** Which jars of the stock (a list of `{ size, count }`) are filled with so many grams of honey. */
export function fill(grams, stock) {
  throw new Error('not written yet');
}
