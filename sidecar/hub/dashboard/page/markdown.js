/* Renders the Markdown of plans and answers as elements: headings, lists, check boxes, code, bold. Never parses markup. */
import { h, createIcon, makeVisible } from './dom.js';
import { textOf } from './lenient.js';

const maxLines = 4_000;

/** @param {unknown} text */
export function renderMarkdown(text) {
  const lines = removeFrontMatter(textOf(text)).split('\n').slice(0, maxLines);
  const root = h('div.prose');
  /** @type {HTMLElement | null} */
  let list = null;
  /** @type {HTMLElement | null} */
  let code = null;
  for (const line of lines) {
    if (/^\s*```/.test(line)) {
      code = code ? null : root.appendChild(h('pre', { tabindex: '0' }));
      list = null;
      continue;
    }
    if (code) {
      code.append(makeVisible(`${line}\n`));
      continue;
    }
    const [, marks, heading] = /^(#{1,6})\s+(.*)$/.exec(line) ?? [];
    const [, item] = /^\s*(?:[-*]|\d+[.)])\s+(.*)$/.exec(line) ?? [];
    if (marks !== undefined) {
      list = null;
      root.append(h(`h${Math.min(6, marks.length + 2)}`, renderInline(heading)));
    } else if (item !== undefined) {
      list ??= root.appendChild(h('ul'));
      list.append(renderListItem(item));
    } else if (line.trim() === '') list = null;
    else {
      list = null;
      root.append(h('p', renderInline(line)));
    }
  }
  return root;
}

/** @param {string} text */
function renderListItem(text) {
  const box = /^\[([ xX✓✔])\]\s+(.*)$/.exec(text);
  if (!box) return h('li', renderInline(text));
  const isDone = box[1] !== ' ';
  return h(
    `li.todo${isDone ? '.done' : ''}`,
    h('span.box', isDone ? createIcon('check') : null, h('span.unseen', isDone ? 'Done: ' : 'Open: ')),
    h('span', renderInline(box[2])),
  );
}

/** Renders `code`, **bold** and *emphasis*; everything else is plain text. @param {string} text */
function renderInline(text = '') {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)/).map((part) => {
    if (/^`[^`]+`$/.test(part)) return h('code', part.slice(1, -1));
    if (/^\*\*[^*]+\*\*$/.test(part)) return h('strong', part.slice(2, -2));
    if (/^\*[^*]+\*$/.test(part)) return h('em', part.slice(1, -1));
    return part;
  });
}

/** @param {string} text */
const removeFrontMatter = (text) => text.replace(/^---\n[\s\S]*?\n---\n/, '');
