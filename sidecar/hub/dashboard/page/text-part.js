/* A titled text of an event: diffs are coloured, long texts folded. */
import { renderChanges, renderDiffText, hasDiff } from './diff.js';
import { h } from './dom.js';
import { formatJson } from './format.js';

export const INITIAL_TEXT_LINES = 40;

/** Renders a titled text; null if it is empty. @param {string} title @param {unknown} text */
export function renderTextPart(title, text) {
  if (text === undefined || text === '') return null;
  const shownText = typeof text === 'string' ? text : formatJson(text);
  return h('div.part', h('h4', title), renderContent(shownText, title));
}

/** @param {string} text @param {string} title */
function renderContent(text, title) {
  if (text.startsWith('diff --git ')) return renderChanges({ patch: text });
  return hasDiff(text) ? renderDiffText(text, title) : renderCollapsed(text);
}

/** @param {string} text */
function renderCollapsed(text) {
  const lines = text.split('\n');
  const rest = lines.length - INITIAL_TEXT_LINES;
  if (rest <= 5) return h('pre', { tabindex: '0' }, text);
  const box = h('pre', { tabindex: '0' }, lines.slice(0, INITIAL_TEXT_LINES).join('\n'));
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
