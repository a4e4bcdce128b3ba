/** Counts the characters that two texts have in common at their start, by bisection, which is much faster than a loop over characters. */
export function countSharedStart(a: string, b: string): number {
  let [sharedChars, maxChars] = [0, Math.min(a.length, b.length)];
  while (sharedChars < maxChars) {
    const middle = Math.ceil((sharedChars + maxChars) / 2);
    if (a.slice(sharedChars, middle) === b.slice(sharedChars, middle)) sharedChars = middle;
    else maxChars = middle - 1;
  }
  return sharedChars;
}

/** Counts the characters that two texts have in common at their end. */
export function countSharedEnd(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length += 1;
  return length;
}
