/* A coloured unified diff by file. All lines are plain text; only opened files are rendered. */
import { createCopyButton } from './act-button.js';
import { h } from './dom.js';
import { numberOf, recordsOf, textOf } from './lenient.js';
/** @import { Result } from '../page-types.ts' */
/**
 * @typedef {{ kind: string, text: string }} DiffLine
 * @typedef {{ path: string, lines: DiffLine[] }} Patch
 * @typedef {{ path: string, status: string, additions: number, deletions: number }} FileChange
 */

const INITIAL_LINES = 400;

/** Parses a patch of git to `[{ path, lines: [{ kind, text }] }]`. Pure. @param {string} patch */
export function parsePatch(patch) {
  /** @type {Patch[]} */
  const files = [];
  let inHunk = false;
  for (const text of patch.split('\n')) {
    const [, path] = /^diff --git (?:"?a\/.*?"?) "?b\/(.*?)"?$/.exec(text) ?? [];
    if (path !== undefined) {
      files.push({ path, lines: [] });
      inHunk = false;
      continue;
    }
    const file = files.at(-1);
    if (!file) {
      if (text.startsWith('--- ') || text.trim() === '') continue;
      const [, namedPath] = /^\+\+\+ (?:b\/)?(.*)$/.exec(text) ?? [];
      if (namedPath !== undefined) files.push({ path: namedPath, lines: [] });
      continue;
    }
    const kind = lineKindOf(text, inHunk);
    inHunk ||= kind === 'hunk';
    if (kind !== 'meta' || /^(new file|deleted file|rename|similarity|Binary|GIT binary|\[…)/.test(text)) {
      file.lines.push({ kind, text });
    }
  }
  for (const file of files) if (file.lines.at(-1)?.text === '') file.lines.pop();
  return files;
}

/**
 * Classifies a line of a diff. Inside a hunk, `--- x` is the removed line `-- x`; before a hunk, it names a file.
 * @param {string} text @param {boolean} inHunk
 */
function lineKindOf(text, inHunk) {
  if (text.startsWith('@@')) return 'hunk';
  if (!inHunk && /^(\+\+\+|---)/.test(text)) return 'meta';
  if (text.startsWith('+')) return 'added';
  if (text.startsWith('-')) return 'removed';
  if (text.startsWith(' ') || text === '') return 'same';
  return 'meta';
}

/** @param {Patch} patch */
const toFileChange = ({ path, lines }) => ({
  path,
  status: 'modified',
  additions: lines.filter(({ kind }) => kind === 'added').length,
  deletions: lines.filter(({ kind }) => kind === 'removed').length,
});

/** Renders the numbers of added and removed lines. @param {readonly { additions?: unknown, deletions?: unknown }[]} files */
export function renderLineCounts(files) {
  /** @param {'additions' | 'deletions'} key */
  const sum = (key) => files.reduce((all, file) => all + numberOf(file[key]), 0);
  return [h('span.added', `+${sum('additions')}`), ' ', h('span.removed', `−${sum('deletions')}`)];
}

/** Renders the changes of a result. @param {Result['changes']} changes */
export function renderChanges(changes) {
  const files = recordsOf(changes?.files).map((file) => ({
    path: textOf(file.path),
    status: textOf(file.status) || 'modified',
    additions: numberOf(file.additions),
    deletions: numberOf(file.deletions),
  }));
  const patches = parsePatch(textOf(changes?.patch));
  const shownFiles = files.length > 0 ? files : patches.map(toFileChange);
  return h(
    'div',
    h(
      'p.diff-summary',
      `${shownFiles.length} ${shownFiles.length === 1 ? 'file' : 'files'}, `,
      renderLineCounts(shownFiles),
      changes?.branch ? [' on ', h('code', textOf(changes.branch))] : null,
      ' ',
      patches.length > 0 && changes?.patch_masked !== true
        ? createCopyButton('Copy the patch', () => textOf(changes?.patch))
        : null,
    ),
    changes?.branch_omitted
      ? h(
          'p.note',
          `The changes are not on a branch: ${textOf(changes.branch_omitted)}. Use the patch instead.`,
        )
      : null,
    changes?.patch_omitted
      ? h('p.note', `The changes are incomplete: ${textOf(changes.patch_omitted)}`)
      : null,
    shownFiles.map((file, index) =>
      renderFile(
        file,
        patches.find(({ path }) => path === file.path),
        index < 20,
      ),
    ),
  );
}

/** @param {FileChange} file @param {Patch | undefined} patch @param {boolean} open */
function renderFile(file, patch, open) {
  const box = h(
    'details.file',
    { open: open && patch !== undefined },
    h(
      'summary',
      h(
        `span.file-status.${/^\w+$/.test(file.status) ? file.status : 'modified'}`,
        file.status.slice(0, 1).toUpperCase(),
      ),
      h('span.file-path', file.path),
      h('span.file-counts', renderLineCounts([file])),
    ),
  );
  const body = h('div.diff', { role: 'region', tabindex: '0', 'aria-label': `Changes in ${file.path}` });
  if (!patch) body.append(h('p.note', 'No text to show.'));
  else {
    const show = () => {
      if (body.childElementCount === 0) body.append(...renderLines(patch.lines, body));
    };
    if (box.open) show();
    else box.addEventListener('toggle', show);
  }
  box.append(body);
  return box;
}

/** Returns whether a text contains parts of a unified diff. @param {string} text */
export const hasDiff = (text) => /^@@ -\d/m.test(text);

/** Renders a text with a coloured diff, such as the result of an edit. @param {string} text @param {string} label */
export function renderDiffText(text, label) {
  let inHunk = false;
  const lines = text.split('\n').map((line) => {
    const kind = lineKindOf(line, inHunk);
    inHunk ||= kind === 'hunk';
    return { kind: inHunk ? kind : 'meta', text: line };
  });
  const body = h('div.diff', { role: 'region', tabindex: '0', 'aria-label': label });
  body.append(...renderLines(lines, body));
  return body;
}

/** @param {DiffLine[]} diff @param {HTMLElement} body */
function renderLines(diff, body) {
  const lines = numberLines(diff);
  const rest = lines.length - INITIAL_LINES;
  if (rest <= 0) return lines.map(renderLine);
  const more = h(
    'button.quiet',
    {
      onclick: () => {
        more.remove();
        body.append(...lines.slice(INITIAL_LINES).map(renderLine));
      },
    },
    `Show ${rest} more lines`,
  );
  return [...lines.slice(0, INITIAL_LINES).map(renderLine), more];
}

/** Adds line numbers: those of the new file, and for removed lines those of the old file. @param {DiffLine[]} lines */
function numberLines(lines) {
  const nextNumbers = { removed: 0, added: 0 };
  return lines.map(({ kind, text }) => {
    const [, removed, added] = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})/.exec(text) ?? [];
    if (kind === 'hunk') Object.assign(nextNumbers, { removed: Number(removed), added: Number(added) });
    // The numbers after a gap are unknown.
    if (text.startsWith('[…')) Object.assign(nextNumbers, { removed: 0, added: 0 });
    const isCounted = nextNumbers.added > 0 && kind !== 'hunk' && kind !== 'meta';
    const line = isCounted ? nextNumbers[kind === 'removed' ? 'removed' : 'added'] : '';
    if (isCounted && kind !== 'added') nextNumbers.removed += 1;
    if (isCounted && kind !== 'removed') nextNumbers.added += 1;
    return { kind, text, line };
  });
}

/** @param {DiffLine & { line: string | number }} line */
const renderLine = ({ kind, text, line }) =>
  h(`div.line.${kind}`, { 'data-line': line }, text === '' ? ' ' : text);
