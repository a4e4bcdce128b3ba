/* The head of a task: title, state, and actions on the whole task. */
import { actButton, copyButton } from './act-button.js';
import { request } from './api.js';
import { h, icon, announce } from './dom.js';
import { isOpen, shortRepo } from './format.js';
import { textOf } from './lenient.js';
import { may } from './me.js';
import { filterHref } from './search-text.js';
import { statusBadge, taskPath } from './task-link.js';
/** @import { Problem, TaskDetail } from '../page-types.ts' */

/** @param {TaskDetail} detail @param {{ onBack: () => void, onAgain: (detail: TaskDetail) => void }} how */
export function taskHead(detail, { onBack, onAgain }) {
  return [
    backButton(onBack),
    h(
      'div.title-line',
      h('h2', detail.title || detail.task_id),
      statusBadge(detail),
      h('div.actions', may('submitter') ? actions(detail, onAgain) : null),
    ),
    h(
      'p.sub',
      h('code', detail.task_id),
      copyButton('Copy the id', () => detail.task_id),
      detail.repo
        ? h('a.repo', { title: detail.repo, href: filterHref('repo', detail.repo) }, shortRepo(detail.repo))
        : null,
      detail.labels.map((label) => h('a.chip.label', { href: filterHref('label', label) }, label)),
      detail.waiting_for ? h('span.waiting', `Waiting for ${detail.waiting_for}`) : null,
    ),
    description(detail),
  ];
}

/**
 * Renders the head while the task loads, or if it cannot be read.
 * @param {Problem | undefined} error @param {() => void} onBack
 */
export function missingHead(error, onBack) {
  return [
    backButton(onBack),
    error
      ? h('div.empty', { role: 'alert' }, h('h2', 'This task cannot be shown'), h('p', whyMissing(error)))
      : h('div.skeleton', h('span.unseen', 'Loading the task')),
  ];
}

/** Returns the text for users, since the API's message is for programs. @param {Problem} error */
const whyMissing = ({ status, message }) =>
  status === 404 ? 'The hub has no such task. Old tasks are removed after a while.' : message;

/** @param {() => void} onBack */
const backButton = (onBack) => h('button.back.quiet', { onclick: () => onBack() }, icon('back'), 'Tasks');

/** @param {TaskDetail} detail */
function description({ content, title }) {
  const text = textOf(content.description);
  if (text.trim() === title) return null;
  return h('details.description', h('summary', 'Description'), h('pre', { tabindex: '0' }, text));
}

/** @param {TaskDetail} detail @param {(detail: TaskDetail) => void} onAgain */
function actions(detail, onAgain) {
  const { task_id: taskId, status } = detail;
  if (isOpen(status)) {
    return actButton('Cancel task', 'danger', async () => {
      if (!confirm('Cancel this task? Its work so far is lost.')) return;
      await request(taskPath(taskId, '/cancel'), { method: 'POST', body: {} });
      announce('Task cancelled');
    });
  }
  const again = h('button', { onclick: () => onAgain(detail) }, 'Edit and submit again');
  if (status !== 'dead_letter' && status !== 'cancelled') return again;
  const retry = actButton('Try again', '', async () => {
    await request(taskPath(taskId, '/retry'), { method: 'POST', body: {} });
    announce('Task is queued again');
  });
  return [retry, again];
}
