/* The two dialogs: a new task, and the keyboard shortcuts. */
import { actButton } from './act-button.js';
import { request } from './api.js';
import { byId, facts, h, icon, say } from './dom.js';
/** @import { Child, Props, TaskSummary, Worker } from '../page-types.ts' */

/** @param {string} title @param {Child[]} content */
function open(title, ...content) {
  const close = () => dialog.close();
  /** @type {HTMLDialogElement} */
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'dialog-title', onclose: () => dialog.remove() },
    h(
      'header',
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
  ['Enter', 'Open the selected event'],
  ['Esc', 'Back'],
  ['?', 'This list'],
];

export function helpDialog() {
  open(
    'Keyboard',
    facts(
      'keys',
      shortcuts.map(([keys, what]) => [h('kbd', keys), what]),
    ),
  );
}

/**
 * Models, labels, workers and repositories of these can be chosen.
 * @param {Worker[]} workers @param {TaskSummary[]} tasks @param {(task: TaskSummary) => void} onMade
 */
export function newTaskDialog(workers, tasks, onMade) {
  const known = {
    model: workers.flatMap(({ models }) => models),
    label: workers.flatMap(({ labels }) => labels),
    worker: workers.map(({ agent_id: id }) => id),
    repo: tasks.flatMap(({ repo }) => repo ?? []),
  };
  /** @param {Props} [props] */
  const text = (props) => h('input', { type: 'text', autocomplete: 'off', maxlength: '4096', ...props });
  const controls = {
    description: h('textarea', { rows: '6', required: true, maxlength: '200000' }),
    repo: text({ list: 'known-repo' }),
    branch: text({ maxlength: '512' }),
    checks: h('textarea', { rows: '2', maxlength: '20000', placeholder: 'npm test' }),
    allowed: text(),
    model: text({ maxlength: '256', list: 'known-model' }),
    worker: text({ maxlength: '128', list: 'known-worker' }),
    labels: text({ list: 'known-label' }),
    attempts: text({ type: 'number', min: '1', max: '100', placeholder: '3' }),
    priority: text({ type: 'number', value: '0', min: '-1000', max: '1000' }),
  };
  /** @param {keyof typeof controls} name @param {string} label @param {string} [note] */
  const field = (name, label, note) =>
    h(
      'p.field',
      h('label', { for: `new-${name}` }, label),
      Object.assign(controls[name], { id: `new-${name}` }),
      note ? h('span.note', note) : null,
    );
  const submit = async () => {
    if (!form.reportValidity()) return;
    const task = await request('api/tasks', { method: 'POST', body: submission(controls) });
    dialog.close();
    say('Task submitted');
    onMade(task);
  };
  const form = h(
    'form',
    { onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    field('description', 'What is to be done'),
    h(
      'div.pair',
      field(
        'repo',
        'Repository',
        'Folder on the worker, or an https or ssh address. Empty: an empty folder.',
      ),
      field('branch', 'Branch', 'Empty: the usual one.'),
    ),
    field('checks', 'Commands that must succeed', 'One a line.'),
    field(
      'allowed',
      'Tests and settings that it may change',
      'Globs, separated by commas; ** is all. Empty: only new tests.',
    ),
    h('div.pair', field('model', 'Model'), field('worker', 'Only this worker')),
    field('labels', 'Labels a worker must have', 'Separated by commas.'),
    h('div.pair', field('attempts', 'Attempts at most'), field('priority', 'Priority', 'Higher goes first.')),
    Object.entries(known).map(([name, values]) => choices(`known-${name}`, values)),
    h('div.actions', actButton('Submit', 'primary', submit)),
  );
  const dialog = open('New task', form);
  controls.description.focus();
}

/** @param {string} id @param {string[]} values */
const choices = (id, values) =>
  h(
    'datalist',
    { id },
    [...new Set(values)].slice(0, 200).map((value) => h('option', { value })),
  );

/** @typedef {{ value: string }} Field */

/**
 * What the hub is given; an empty field says nothing.
 * @param {Record<'description' | 'repo' | 'branch' | 'checks' | 'allowed' | 'model' | 'worker' | 'labels' | 'attempts' | 'priority', Field>} controls
 */
function submission({
  description,
  repo,
  branch,
  checks,
  allowed,
  model,
  worker,
  labels,
  attempts,
  priority,
}) {
  const globs = listOf(allowed);
  const steps = listOf(checks, '\n').map((target) => ({ type: 'command_succeeds', target }));
  const texts = { repo, branch, model, agent_id: worker };
  const given = Object.entries(texts).flatMap(([name, { value }]) =>
    value.trim() === '' ? [] : [[name, value.trim()]],
  );
  return {
    description: description.value,
    ...Object.fromEntries(given),
    ...(steps.length > 0 && { verification_steps: steps }),
    ...(globs.length > 0 && { may_change_checks: globs }),
    ...(attempts.value && { max_attempts: Number(attempts.value) }),
    priority: Number(priority.value) || 0,
    labels: listOf(labels),
  };
}

/** @param {Field} field */
const listOf = ({ value }, between = ',') =>
  value
    .split(between)
    .map((one) => one.trim())
    .filter(Boolean);
