/* Builds elements. Texts of tasks, workers and users are only set as textContent or attributes; markup cannot be passed. */
/** @import { Child, ElementOf, Props } from '../page-types.ts' */

/**
 * Creates an element: h('button.primary', { onclick, 'aria-label': '…' }, 'text', child, null); properties are
 * optional.
 * @template {string} S @param {S} selector @param {[Props, ...Child[]] | Child[]} rest
 */
export function h(selector, ...rest) {
  const [tag, ...classes] = selector.split('.');
  const element = /** @type {ElementOf<S>} */ (document.createElement(tag || 'div'));
  if (classes.length > 0) element.className = classes.join(' ');
  const [first, ...others] = rest;
  if (isProps(first)) setProps(element, first);
  append(element, /** @type {Child[]} */ (isProps(first) ? others : rest));
  return element;
}

/** @param {Props | Child} value @returns {value is Props} */
const isProps = (value) =>
  typeof value === 'object' && value !== null && !(value instanceof Node) && !Array.isArray(value);

/** @param {HTMLElement} element @param {Props} props */
function setProps(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (typeof value === 'object')
      for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (name === 'value') Object.assign(element, { value });
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}

/** @param {Element} element @param {readonly Child[]} children */
function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (child instanceof Node) element.append(child);
    else if (typeof child === 'object') append(element, child);
    else element.append(makeVisible(String(child)));
  }
}

/** Replaces an element's children. @template {Element} E @param {E} element @param {Child[]} children */
export function replaceContent(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Renders a list of `[name, value]` pairs. @param {string} kind @param {readonly (readonly [Child, Child])[]} pairs */
export const renderFacts = (kind, pairs) =>
  h(
    `dl.${kind}`,
    pairs.map(([name, value]) => h('div', h('dt', name), h('dd', value))),
  );

/**
 * Renders a table whose rows begin with their names.
 * @param {string} label @param {readonly string[]} titles @param {readonly (readonly Child[])[]} rows
 */
export const renderTable = (label, titles, rows) =>
  h(
    'div.table-box',
    { tabindex: '0', role: 'region', 'aria-label': label },
    h(
      'table',
      h(
        'thead',
        h(
          'tr',
          titles.map((title) => h('th', { scope: 'col' }, title)),
        ),
      ),
      h(
        'tbody',
        rows.map(([name, ...cells]) =>
          h(
            'tr',
            h('th', { scope: 'row' }, name),
            cells.map((cell) => h('td', cell)),
          ),
        ),
      ),
    ),
  );

/** Sets text only if it differs, so that selections and focus survive. @param {Element} element @param {string} text */
export function setText(element, text) {
  const shownText = makeVisible(text);
  if (element.textContent !== shownText) element.textContent = shownText;
}

/** Matches invisible characters; base/values/printable.ts has the same pattern and explains it. */
const invisibleCharacters =
  /((?<=\p{ExtPict}[\ufe0f\p{EMod}]?)\u200d(?=\p{ExtPict})|(?<=\p{ExtPict})\ufe0f|(?<=[\p{L}\p{M}])(?<![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\u200c\u200d](?=\p{L})|\r\n)|[^\n\t\P{Cc}]|[\p{DI}\p{Zl}\p{Zp}\ufff9-\ufffb\u2800\u{1d159}]/gu;

/**
 * Spells out characters that are invisible or reverse the order of letters: a user who approves a command must see what
 * runs.
 * @param {string} text
 */
export const makeVisible = (text) =>
  text.replace(
    invisibleCharacters,
    (mark, allowed) =>
      allowed ?? `‹U+${Number(mark.codePointAt(0)).toString(16).toUpperCase().padStart(4, '0')}›`,
  );

const svgNamespace = 'http://www.w3.org/2000/svg';
/** @type {Record<string, string>} */
const iconPaths = {
  search: 'M11 11l4 4M12.5 7a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0Z',
  back: 'M10 3 5 8l5 5',
  copy: 'M6 6h7v7H6ZM10 6V3H3v7h3',
  plus: 'M8 3v10M3 8h10',
  check: 'm3 8.5 3.2 3.2L13 5',
  cross: 'm4 4 8 8M12 4l-8 8',
  dot: 'M8 9a1 1 0 1 0 0-2 1 1 0 0 0 0 2Z',
  clock: 'M8 4.5V8l2.5 1.5M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z',
  play: 'm6 4.5 5.5 3.5L6 11.5Z',
  text: 'M3 4.5h10M3 8h10M3 11.5h6',
  tool: 'M9.5 4.2a3 3 0 0 1 3.9 3.9L8 13.5a1.9 1.9 0 0 1-2.7-2.7l.3-.3M6.5 11.8a3 3 0 0 1-3.9-3.9L8 2.5a1.9 1.9 0 0 1 2.7 2.7l-.3.3',
  spark: 'M8 2v3.5M8 10.5V14M2 8h3.5M10.5 8H14M4.2 4.2l2 2M9.8 9.8l2 2M11.8 4.2l-2 2M6.2 9.8l-2 2',
  flag: 'M4 14V2.5h8l-1.5 3L12 8.5H4',
  person: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm-4.5 5.5a4.5 4.5 0 0 1 9 0',
  question: 'M5.6 5.6a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1.1.8-1.1 1.5v.4M8 12.8h.01',
  plan: 'M3 4.5h1M3 8h1M3 11.5h1M6.5 4.5H13M6.5 8H13M6.5 11.5H13',
  alert:
    'M8 5.5v3M8 11h.01M7 2.8 1.8 12a1.2 1.2 0 0 0 1 1.7h10.4a1.2 1.2 0 0 0 1-1.7L9 2.8a1.2 1.2 0 0 0-2 0Z',
  follow: 'M8 3v10m0 0 4-4m-4 4-4-4',
};

/** @param {string} name */
export function createIcon(name) {
  const svg = document.createElementNS(svgNamespace, 'svg');
  const path = document.createElementNS(svgNamespace, 'path');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', iconPaths[name] ?? '');
  svg.append(path);
  return svg;
}

/** Announces a text to screen readers. @param {string} text */
export function announce(text) {
  const region = findById('said');
  region.textContent = '';
  setTimeout(() => (region.textContent = text), 30);
}

/** Returns an element of index.html. Throws if there is none. @param {string} id */
export function findById(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no ${id}`);
  return element;
}

/** Returns a function that runs `draw` at most once per frame. @param {() => void} draw */
export function limitToFrames(draw) {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    const run = () => {
      if (!isScheduled) return;
      isScheduled = false;
      draw();
    };
    requestAnimationFrame(run);
    // A timer is set too, because a hidden page draws no frames and its data must not accumulate forever.
    setTimeout(run, 250);
  };
}
