/* A titled text of an event: diffs are coloured, long texts folded. */
import { renderChanges, renderDiffText, hasDiff } from './diff.js';
import { h } from './dom.js';
import { formatJson } from './format.js';

export const linesShownAtFirst = 40;

/** Renders a titled text; null if it is empty. @param {string} title @param {unknown} text */
export function part(title, text) {
  if (text === undefined || text === '') return null;
  const shown = typeof text === 'string' ? text : formatJson(text);
  return h('div.part', h('h4', title), content(shown, title));
}

/** @param {string} text @param {string} title */
function content(text, title) {
  if (text.startsWith('diff --git ')) return renderChanges({ patch: text });
  return hasDiff(text) ? renderDiffText(text, title) : folded(text);
}

/** @param {string} text */
function folded(text) {
  const lines = text.split('\n');
  const rest = lines.length - linesShownAtFirst;
  if (rest <= 5) return h('pre', { tabindex: '0' }, text);
  const box = h('pre', { tabindex: '0' }, lines.slice(0, linesShownAtFirst).join('\n'));
  const more = h(
    'button.quiet.small',
    {
      onclick: () => {
        more.replaceWith();
        box.replaceWith(h('pre', { tabindex: '0' }, text));
      },
    },
    `Show ${rest} more lines`,
  );
  return [box, more];
}
