/* A titled text of an event: a diff coloured, a long one in a box that scrolls. */
import { changesPanel, diffText, hasDiff } from './diff.js';
import { h } from './dom.js';
import { prettyJson } from './format.js';

/** Nothing where there is no text. @param {string} title @param {unknown} text */
export function part(title, text) {
  if (text === undefined || text === '') return null;
  const shown = typeof text === 'string' ? text : prettyJson(text);
  return h('div.part', {}, h('h4', {}, title), content(shown, title));
}

/** @param {string} text @param {string} title */
function content(text, title) {
  if (text.startsWith('diff --git ')) return changesPanel({ patch: text });
  return hasDiff(text) ? diffText(text, title) : h('pre', { tabindex: '0' }, text);
}
