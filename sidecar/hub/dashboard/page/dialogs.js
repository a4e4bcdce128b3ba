/* Dialogs, and the list of keyboard shortcuts. */
import { findById, renderFacts, h, createIcon } from './dom.js';
/** @import { Child } from '../page-types.ts' */

/** @param {string} title @param {Child[]} content */
export function openDialog(title, ...content) {
  const close = () => dialog.close();
  /** @type {HTMLDialogElement} */
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'dialog-title', onclose: () => dialog.remove() },
    h(
      'header',
      h('h2', { id: 'dialog-title' }, title),
      h('button.quiet.icon-only', { 'aria-label': 'Close', onclick: close }, createIcon('cross')),
    ),
    ...content,
  );
  findById('dialogs').replaceChildren(dialog);
  dialog.showModal();
  return dialog;
}

const shortcuts = [
  ['j / k', 'Next or previous task'],
  ['/', 'Search tasks'],
  ['o', 'Overview'],
  ['n', 'New task'],
  ['1 … 5', 'Timeline, plan, changes, checks, result'],
  ['s', 'Steer the open task'],
  ['f', 'Follow the live end of the timeline'],
  ['↑ ↓ Home End', 'Select an event of the timeline'],
  ['Enter', 'Open the selected event'],
  ['Esc', 'Back'],
  ['?', 'This list'],
];

export function openHelp() {
  openDialog(
    'Keyboard',
    renderFacts(
      'keys',
      shortcuts.map(([keys, what]) => [h('kbd', keys), what]),
    ),
  );
}
