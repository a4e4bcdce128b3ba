/* The head of a task: title, state, and actions on the whole task. */
import { createActionButton, createCopyButton } from './act-button.js';
import { request } from './api.js';
import { h, createIcon, announce } from './dom.js';
import { isOpen, shortenRepo } from './format.js';
import { textOf } from './lenient.js';
import { hasRole } from './me.js';
import { formatFilterHref } from './search-text.js';
import { createStatusBadge, formatTaskPath } from './task-link.js';
/** @import { RequestError, TaskDetail } from '../page-types.ts' */

/** @param {TaskDetail} detail @param {{ onBack: () => void, onAgain: (detail: TaskDetail) => void }} how */
export function renderHead(detail, { onBack, onAgain }) {
  return [
    createBackButton(onBack),
    h(
      'div.title-line',
      h('h2', detail.title || detail.task_id),
      createStatusBadge(detail),
      h('div.actions', hasRole('submitter') ? createActions(detail, onAgain) : null),
    ),
    h(
      'p.sub',
      h('code', detail.task_id),
      createCopyButton('Copy the id', () => detail.task_id),
      detail.repo
        ? h(
            'a.repo',
            { title: detail.repo, href: formatFilterHref('repo', detail.repo) },
            shortenRepo(detail.repo),
          )
        : null,
      detail.labels.map((label) => h('a.chip.label', { href: formatFilterHref('label', label) }, label)),
      detail.waiting_for ? h('span.waiting', `Waiting for ${detail.waiting_for}`) : null,
    ),
    renderDescription(detail),
  ];
}

/**
 * Renders the head while the task loads, or if it cannot be read.
 * @param {RequestError | undefined} error @param {() => void} onBack
 */
export function renderMissingHead(error, onBack) {
  return [
    createBackButton(onBack),
    error
      ? h(
          'div.empty',
          { role: 'alert' },
          h('h2', 'This task cannot be shown'),
          h('p', describeMissing(error)),
        )
      : h('div.skeleton', h('span.unseen', 'Loading the task')),
  ];
}

/**
 * Describes in words for users why a task cannot be shown, since the API's message is for programs.
 * @param {RequestError} error
 */
const describeMissing = ({ status, message }) =>
  status === 404
    ? 'The hub has no task with this id. It may have deleted the task: see retention.taskDays.'
    : message;

/** @param {() => void} onBack */
const createBackButton = (onBack) =>
  h('button.back.quiet', { onclick: () => onBack() }, createIcon('back'), 'Tasks');

/** @param {TaskDetail} detail */
function renderDescription({ content, title }) {
  const text = textOf(content.description);
  if (text.trim() === title) return null;
  return h('details.description', h('summary', 'Description'), h('pre', { tabindex: '0' }, text));
}

/** @param {TaskDetail} detail @param {(detail: TaskDetail) => void} onAgain */
function createActions(detail, onAgain) {
  const { task_id: taskId, status } = detail;
  if (isOpen(status)) {
    return createActionButton('Cancel task', 'danger', async () => {
      if (!confirm('Cancel this task? Its unfinished work is lost.')) return;
      await request(formatTaskPath(taskId, '/cancel'), { method: 'POST', body: {} });
      announce('Task cancelled');
    });
  }
  const again = h('button', { onclick: () => onAgain(detail) }, 'Edit and submit again');
  if (status !== 'dead_letter' && status !== 'cancelled') return again;
  const retry = createActionButton('Try again', '', async () => {
    await request(formatTaskPath(taskId, '/retry'), { method: 'POST', body: {} });
    announce('Task is queued again');
  });
  return [retry, again];
}
