/** Counts the common leading characters. By bisection: comparing slices is much faster than comparing characters. */
export function sharedStart(a: string, b: string): number {
  let [same, most] = [0, Math.min(a.length, b.length)];
  while (same < most) {
    const middle = Math.ceil((same + most) / 2);
    if (a.slice(same, middle) === b.slice(same, middle)) same = middle;
    else most = middle - 1;
  }
  return same;
}

/** Counts the common trailing characters. */
export function sharedEnd(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length += 1;
  return length;
}
