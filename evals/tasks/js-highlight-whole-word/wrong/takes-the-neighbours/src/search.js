import { matcher } from './matcher.js';

function countHits(text, term, options) {
  return [...text.matchAll(matcher(term, options))].length;
}

/**
 * The notes that contain the term, most hits first: [{ id, hits }].
 * A hit in the title counts three times.
 */
export function search(notes, term, options = {}) {
  const found = [];
  for (const note of notes) {
    const hits = 3 * countHits(note.title, term, options) + countHits(note.text, term, options);
    if (hits > 0) found.push({ id: note.id, hits });
  }
  return found.sort((a, b) => b.hits - a.hits || a.id - b.id);
}

/** The notes with one of these tags, newest first. */
export function withTags(notes, tags) {
  return notes.filter((note) => tags.some((tag) => note.tags?.includes(tag))).sort((a, b) => b.id - a.id);
}
