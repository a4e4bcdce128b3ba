import { matcher } from './matcher.js';

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeHtml(text) {
  return text.replace(/[&<>"]/g, (char) => ENTITIES[char]);
}

/** The text as HTML, every hit of the term in <mark>. */
export function highlight(text, term, options = {}) {
  let html = '';
  let at = 0;
  for (const hit of text.matchAll(matcher(term, options))) {
    html += escapeHtml(text.slice(at, hit.index));
    html += `<mark>${escapeHtml(hit[0])}</mark>`;
    at = hit.index + hit[0].length;
  }
  return html + escapeHtml(text.slice(at));
}

/** The start of a text, cut at a word, for the list of notes. */
export function excerpt(text, length = 80) {
  if (text.length <= length) return text;
  const cut = text.slice(0, length + 1);
  const end = cut.lastIndexOf(' ');
  return `${cut.slice(0, end > 0 ? end : length)} …`;
}
