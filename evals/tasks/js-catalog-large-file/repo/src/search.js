import { all } from './catalog.js';

/** Parts whose name holds all words, in any case. */
export function search(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return all().filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)));
}
