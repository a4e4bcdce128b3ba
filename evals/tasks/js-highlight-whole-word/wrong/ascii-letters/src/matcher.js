/** Escapes what has a meaning in a regular expression. */
export function escapeRegExp(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A regular expression that finds every hit of the term. */
export function matcher(term, { caseSensitive = false, wholeWord = false } = {}) {
  if (term === '') throw new Error('the term is empty');
  const escaped = escapeRegExp(term);
  const source = wholeWord ? `(?<!\\w)${escaped}(?!\\w)` : escaped;
  return new RegExp(source, caseSensitive ? 'g' : 'gi');
}

/** The terms of a query; quotes keep words together: `cat "big dog"`. */
export function termsOf(query) {
  const terms = [];
  for (const [, quoted, plain] of query.matchAll(/"([^"]*)"|(\S+)/g)) {
    const term = (quoted ?? plain).trim();
    if (term !== '' && !terms.includes(term)) terms.push(term);
  }
  return terms;
}
