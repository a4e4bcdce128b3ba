/** How much slower we answer after so many sales. */
export function slowdown(sold) {
  return Math.log(1 + sold);
}
