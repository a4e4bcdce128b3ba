/* The two dialogs: a new task, and the keyboard shortcuts. */
import { request } from './api.js';
import { facts, h, icon, say } from './dom.js';

const place = () => document.getElementById('dialogs');

function open(title, ...content) {
  const close = () => dialog.close();
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
  place().replaceChildren(dialog);
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

export function newTaskDialog(onMade) {
  const field = (name, label, control, note) =>
    h(
      'p.field',
      {},
      h('label', { for: `new-${name}` }, label),
      Object.assign(control, { id: `new-${name}` }),
      note ? h('span.note', {}, note) : null,
    );
  const description = h('textarea', { rows: '6', required: true, maxlength: '200000' });
  const repo = h('input', { type: 'text', maxlength: '4096', autocomplete: 'off' });
  const model = h('input', { type: 'text', maxlength: '256', autocomplete: 'off' });
  const labels = h('input', { type: 'text', autocomplete: 'off' });
  const priority = h('input', { type: 'number', value: '0', min: '-1000', max: '1000', step: '1' });
  const check = h('input', { type: 'text', maxlength: '4096', autocomplete: 'off', placeholder: 'npm test' });
  const problem = h('p.problem', { role: 'alert' });
  const submit = h('button.primary', { type: 'submit' }, 'Submit');
  const form = h(
    'form',
    {
      onsubmit: async (event) => {
        event.preventDefault();
        submit.disabled = true;
        problem.textContent = '';
        try {
          const task = await request('/api/tasks', { method: 'POST', body: submission() });
          dialog.close();
          say('Task submitted');
          onMade(task);
        } catch (error) {
          problem.textContent = error.message;
        }
        submit.disabled = false;
      },
    },
    field('description', 'What is to be done', description),
    field(
      'repo',
      'Repository',
      repo,
      'Folder on the worker, or an https or ssh address. Empty: an empty folder.',
    ),
    field('check', 'Command that must succeed', check),
    h('div.pair', {}, field('model', 'Model', model), field('priority', 'Priority', priority)),
    field('labels', 'Labels a worker must have', labels, 'Separated by commas.'),
    problem,
    h('div.actions', {}, submit),
  );
  const submission = () => ({
    description: description.value,
    ...(repo.value.trim() && { repo: repo.value.trim() }),
    ...(check.value.trim() && {
      verification_steps: [{ type: 'command_succeeds', target: check.value.trim() }],
    }),
    ...(model.value.trim() && { model: model.value.trim() }),
    priority: Number(priority.value) || 0,
    labels: labels.value
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
  });
  const dialog = open('New task', form);
  description.focus();
}
