/* A unified diff by file, coloured. Every line is text; a patch of any size costs only what is opened. */
import { h } from './dom.js';
import { number, records } from './lenient.js';

const linesShownAtFirst = 400;

/** `[{ path, lines: [{ kind, text }] }]` of a patch as git writes it. Pure. */
export function parsePatch(patch) {
  const files = [];
  let inHunk = false;
  for (const text of patch.split('\n')) {
    const header = /^diff --git (?:"?a\/.*?"?) "?b\/(.*?)"?$/.exec(text);
    if (header) {
      files.push({ path: header[1], lines: [] });
      inHunk = false;
      continue;
    }
    const file = files.at(-1);
    if (!file) {
      if (text.startsWith('--- ') || text.trim() === '') continue;
      const named = /^\+\+\+ (?:b\/)?(.*)$/.exec(text);
      if (named) files.push({ path: named[1], lines: [] });
      continue;
    }
    const kind = kindOf(text, inHunk);
    inHunk ||= kind === 'hunk';
    if (kind !== 'meta' || /^(new file|deleted file|rename|similarity|Binary|GIT binary)/.test(text)) {
      file.lines.push({ kind, text });
    }
  }
  for (const file of files) if (file.lines.at(-1)?.text === '') file.lines.pop();
  return files;
}

/** Inside a hunk `--- x` is the removed line `-- x`; before it, it names a file. */
function kindOf(text, inHunk) {
  if (text.startsWith('@@')) return 'hunk';
  if (!inHunk && /^(\+\+\+|---)/.test(text)) return 'meta';
  if (text.startsWith('+')) return 'added';
  if (text.startsWith('-')) return 'removed';
  if (text.startsWith(' ') || text === '') return 'same';
  return 'meta';
}

const counted = ({ path, lines }) => ({
  path,
  status: 'modified',
  additions: lines.filter(({ kind }) => kind === 'added').length,
  deletions: lines.filter(({ kind }) => kind === 'removed').length,
});

/** Lines that files gained and lost. */
export function lineCounts(files) {
  const sum = (key) => files.reduce((all, file) => all + number(file[key]), 0);
  return [h('span.added', {}, `+${sum('additions')}`), ' ', h('span.removed', {}, `−${sum('deletions')}`)];
}

/** The changes of a result. */
export function changesPanel(changes) {
  const files = records(changes?.files).map((file) => ({
    path: String(file.path ?? ''),
    status: String(file.status || 'modified'),
    additions: number(file.additions),
    deletions: number(file.deletions),
  }));
  const patches = parsePatch(String(changes?.patch ?? ''));
  if (files.length === 0 && patches.length === 0) return h('p.empty', {}, 'Nothing was changed.');
  const shown = files.length > 0 ? files : patches.map(counted);
  return h(
    'div',
    {},
    h(
      'p.diff-summary',
      {},
      `${shown.length} ${shown.length === 1 ? 'file' : 'files'}, `,
      lineCounts(shown),
      changes?.branch ? [' on ', h('code', {}, changes.branch)] : null,
    ),
    changes?.patch_omitted ? h('p.note', {}, `Not all is in the changes: ${changes.patch_omitted}`) : null,
    shown.map((file, index) =>
      fileBox(
        file,
        patches.find(({ path }) => path === file.path),
        index < 20,
      ),
    ),
  );
}

function fileBox(file, patch, open) {
  const box = h(
    'details.file',
    { open: open && patch !== undefined },
    h(
      'summary',
      {},
      h(
        `span.file-status.${/^\w+$/.test(file.status) ? file.status : 'modified'}`,
        {},
        file.status[0].toUpperCase(),
      ),
      h('span.file-path', {}, file.path),
      h('span.file-counts', {}, lineCounts([file])),
    ),
  );
  const body = h('div.diff', { role: 'region', tabindex: '0', 'aria-label': `Changes in ${file.path}` });
  const show = () => {
    if (body.childElementCount === 0) body.append(...diffLines(patch, body));
  };
  if (!patch) body.append(h('p.note', {}, 'No text to show.'));
  else if (box.open) show();
  else box.addEventListener('toggle', show);
  box.append(body);
  return box;
}

/** Whether a text has parts of a unified diff in it. */
export const hasDiff = (text) => /^@@ -\d/m.test(text);

/** A text with its diff coloured, such as what an edit answers. */
export function diffText(text, label) {
  let inHunk = false;
  const lines = text.split('\n').map((line) => {
    const kind = kindOf(line, inHunk);
    inHunk ||= kind === 'hunk';
    return { kind: inHunk ? kind : 'meta', text: line };
  });
  const body = h('div.diff', { role: 'region', tabindex: '0', 'aria-label': label });
  body.append(...diffLines({ lines }, body));
  return body;
}

function diffLines(patch, body) {
  const lines = patch.lines.slice(0, linesShownAtFirst).map(lineElement);
  const rest = patch.lines.length - linesShownAtFirst;
  if (rest <= 0) return lines;
  const more = h(
    'button.quiet',
    {
      onclick: () => {
        more.remove();
        body.append(...patch.lines.slice(linesShownAtFirst).map(lineElement));
      },
    },
    `Show ${rest} more lines`,
  );
  return [...lines, more];
}

const lineElement = ({ kind, text }) => h(`div.line.${kind}`, {}, text === '' ? ' ' : text);
