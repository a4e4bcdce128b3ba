/** How far two texts are the same. Pure. */

/** How many characters two texts begin with alike. Found by halves: comparing slices takes a fraction of the time of comparing characters. */
export function sharedStart(a: string, b: string): number {
  let [same, most] = [0, Math.min(a.length, b.length)];
  while (same < most) {
    const middle = Math.ceil((same + most) / 2);
    if (a.slice(same, middle) === b.slice(same, middle)) same = middle;
    else most = middle - 1;
  }
  return same;
}

/** How many characters two texts end with alike. */
export function sharedEnd(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length += 1;
  return length;
}
