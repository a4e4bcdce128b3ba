/* The two dialogs: a new task, and the keyboard shortcuts. */
import { messageOf, request } from './api.js';
import { byId, facts, h, icon, say } from './dom.js';
/** @import { Child, Props, TaskSummary } from '../page-types.ts' */

/** @param {string} title @param {Child[]} content */
function open(title, ...content) {
  const close = () => dialog.close();
  /** @type {HTMLDialogElement} */
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'dialog-title', onclose: () => dialog.remove() },
    h(
      'header',
      {},
      h('h2', { id: 'dialog-title' }, title),
      h('button.quiet.icon-only', { 'aria-label': 'Close', onclick: close }, icon('cross')),
    ),
    ...content,
  );
  byId('dialogs').replaceChildren(dialog);
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
  ['↑ ↓ Home End', 'Move in the timeline'],
  ['Enter', 'Look at the chosen event'],
  ['Esc', 'Back'],
  ['?', 'This list'],
];

export function helpDialog() {
  open(
    'Keyboard',
    facts(
      'keys',
      shortcuts.map(([keys, what]) => [h('kbd', {}, keys), what]),
    ),
  );
}

/** @param {(task: TaskSummary) => void} onMade */
export function newTaskDialog(onMade) {
  /** @param {Props} [props] */
  const text = (props) => h('input', { type: 'text', autocomplete: 'off', ...props });
  const controls = {
    description: h('textarea', { rows: '6', required: true, maxlength: '200000' }),
    repo: text({ maxlength: '4096' }),
    check: text({ maxlength: '4096', placeholder: 'npm test' }),
    allowed: text({ maxlength: '4096' }),
    model: text({ maxlength: '256' }),
    priority: h('input', { type: 'number', value: '0', min: '-1000', max: '1000', step: '1' }),
    labels: text(),
  };
  /** @param {keyof typeof controls} name @param {string} label @param {string} [note] */
  const field = (name, label, note) =>
    h(
      'p.field',
      {},
      h('label', { for: `new-${name}` }, label),
      Object.assign(controls[name], { id: `new-${name}` }),
      note ? h('span.note', {}, note) : null,
    );
  const problem = h('p.problem', { role: 'alert' });
  const button = h('button.primary', { type: 'submit' }, 'Submit');
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = '';
    try {
      const task = await request('api/tasks', { method: 'POST', body: submission(controls) });
      dialog.close();
      say('Task submitted');
      onMade(task);
    } catch (error) {
      problem.textContent = messageOf(error);
    }
    button.disabled = false;
  };
  const repoNote = 'Folder on the worker, or an https or ssh address. Empty: an empty folder.';
  const allowedNote = 'Globs, separated by commas; ** is all. Empty: only new tests.';
  const form = h(
    'form',
    { onsubmit: submit },
    field('description', 'What is to be done'),
    field('repo', 'Repository', repoNote),
    field('check', 'Command that must succeed'),
    field('allowed', 'Tests and settings that it may change', allowedNote),
    h('div.pair', {}, field('model', 'Model'), field('priority', 'Priority')),
    field('labels', 'Labels a worker must have', 'Separated by commas.'),
    problem,
    h('div.actions', {}, button),
  );
  const dialog = open('New task', form);
  controls.description.focus();
}

/** @typedef {{ value: string }} Field */

/**
 * What the hub is given; an empty field says nothing.
 * @param {Record<'description' | 'repo' | 'check' | 'allowed' | 'model' | 'priority' | 'labels', Field>} controls
 */
function submission({ description, repo, check, allowed, model, priority, labels }) {
  const [address, command, modelName] = [repo, check, model].map(({ value }) => value.trim());
  const globs = listOf(allowed);
  return {
    description: description.value,
    ...(address && { repo: address }),
    ...(command && { verification_steps: [{ type: 'command_succeeds', target: command }] }),
    ...(globs.length > 0 && { may_change_checks: globs }),
    ...(modelName && { model: modelName }),
    priority: Number(priority.value) || 0,
    labels: listOf(labels),
  };
}

/** @param {Field} field */
const listOf = ({ value }) =>
  value
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
