/* The outcome of a task at a glance: answer and changes, what remains, or why it failed and what to do. */
import { firstLine } from './call-row.js';
import { actButton, copyButton } from './act-button.js';
import { checkName, endingText, explain, own, plain, sentence, explainHold } from './explain.js';
import { request } from './api.js';
import { lineCounts } from './diff.js';
import { h, announce } from './dom.js';
import { isOpen } from './format.js';
import { may } from './me.js';
import { isRecord, records, textOf } from './lenient.js';
import { taskHref, taskPath } from './task-link.js';
/** @import { TaskDetail, TaskStatus } from '../page-types.ts' */

const MAX_LISTED = 20;
const MAX_ANSWER_CHARS = 400;

/**
 * Renders the outcome; null for a running task unless it is on hold (`held`: the reason).
 * @param {TaskDetail} detail @param {string | undefined} held
 */
export function taskOutcome(detail, held) {
  const { status, error, result } = detail;
  const isIdle = result?.nothing_to_do === true && !isOpen(status);
  if (status === 'success' || isIdle) return success(detail, isIdle);
  if (status === 'partial') return partial(detail);
  if (isOpen(status) && held) return heldBox(held);
  const failed = status === 'dead_letter' || status === 'queued';
  return failed && error ? failure(status, error, detail) : null;
}

/** @param {string} held */
function heldBox(held) {
  const { todo } = explainHold(held);
  return h(
    'section.notice.held',
    { 'aria-label': 'On hold' },
    h('h3', 'On hold: it continues by itself'),
    h('p', sentence(held)),
    todo ? h('p', h('b', 'What to do: '), sentence(todo)) : null,
  );
}

/** @type {Record<string, [kind: string, title: string]>} */
const successes = {
  verified: ['verified', 'Done: its checks pass'],
  unverified: ['unchecked', 'Done, but nothing was checked'],
};

const noRegression = [
  'unchecked',
  'No regression: the checks passed before the work, too, and do not show that it is done',
];

const idle = ['unchecked', 'Nothing to do: the checks passed before, nothing was changed'];

/** @param {TaskDetail} detail @param {boolean} isIdle */
function success(detail, isIdle) {
  const { result } = detail;
  const shown =
    result?.evidence === 'pass_to_pass' ? noRegression : own(successes, result?.verification_status);
  const known = isIdle ? idle : shown;
  const [kind, title] = known ?? ['unchecked', 'Done'];
  const answer = textOf(result?.output).trim();
  return h(
    `section.notice.${kind}`,
    { 'aria-label': 'Outcome' },
    h('h3', title),
    answer ? h('p.answer', shortened(answer)) : null,
    isIdle ? null : list('Checks that pass:', result?.completed),
    changed(detail),
  );
}

/** @param {TaskDetail} detail */
function changed({ result, repo }) {
  const changes = result?.changes;
  const files = records(changes?.files);
  if (files.length === 0) return null;
  const merge = mergeCommand(repo, changes?.branch);
  return [
    h(
      'p',
      `${files.length === 1 ? textOf(files[0]?.path) : `${files.length} files`}, `,
      lineCounts(files),
      changes?.branch ? [', on the branch ', h('code', textOf(changes.branch))] : null,
    ),
    merge
      ? h(
          'p.command',
          h('code', merge),
          copyButton('Copy the merge command', () => merge),
        )
      : null,
  ];
}

/**
 * Returns the merge command for a repository in a folder; other branches are only in the worker's cache.
 * @param {string | null} repo @param {unknown} branch
 */
function mergeCommand(repo, branch) {
  const isName = typeof branch === 'string' && /^\w[\w./-]*$/.test(branch);
  return isName && /^\/[\w@%+=:,./ -]*$/.test(repo ?? '') ? `git -C '${repo}' merge ${branch}` : undefined;
}

/** Shortens a long text at the end of a word. @param {string} text */
function shortened(text) {
  const dense = text.replaceAll(/\n{2,}/g, '\n');
  if (dense.length <= MAX_ANSWER_CHARS) return dense;
  return `${dense.slice(0, MAX_ANSWER_CHARS).replace(/\s\S*$/, '')} … (the rest under Result)`;
}

/**
 * Renders a failure: first the cause, then what to do, then the error.
 * @param {TaskStatus} status @param {string} error @param {TaskDetail} detail
 */
function failure(status, error, detail) {
  const { code, means, todo } = explain(error);
  return h(
    'section.notice.failed',
    { 'aria-label': 'Failure' },
    h('h3', means ? sentence(means) : firstLine(plain(error))),
    failing(detail),
    todo ? h('p', h('b', 'What to do: '), sentence(todo)) : null,
    h(
      'p',
      status === 'queued'
        ? code?.startsWith('worker_')
          ? 'Its worker returned it; this does not count as an attempt.'
          : 'The last attempt failed; the task is retried.'
        : 'Given up: it is not retried automatically.',
      todo ? [' Code: ', h('code', code)] : null,
    ),
    h('pre', { tabindex: '0' }, plain(error)),
  );
}

/** @param {TaskDetail} detail */
const checksOf = ({ result, verification_report: report }) => {
  const last = report ?? result?.verification_report;
  return records(isRecord(last) && 'checks' in last ? last.checks : undefined);
};

/** @param {TaskDetail} detail */
function partial(detail) {
  const { result } = detail;
  const checks = checksOf(detail);
  const passed = checks.filter(({ status }) => status === 'pass').length;
  const isDone = !detail.not_done;
  const all = `${passed} of ${checks.length} checks pass`;
  const why = [endingText(result?.termination_reason), plain(result?.termination_detail)].filter(Boolean);
  return h(
    `section.notice.${isDone ? 'partial' : 'failed'}`,
    { 'aria-label': 'Partial result' },
    h('h3', `${isDone ? 'Partly done' : 'Not done'}: ${checks.length === 0 ? 'nothing was checked' : all}`),
    failing(detail),
    list('What remains:', result?.remaining),
    h('div.actions', followUp(detail)),
    why.length > 0
      ? h(
          'p',
          h('b', 'Why it stopped: '),
          why.map((text) => `${sentence(text ?? '')} `),
        )
      : null,
    list('Checks that pass:', result?.completed),
    isDone ? changed(detail) : null,
  );
}

/** Renders the first failing check and the relevant part of its output. @param {TaskDetail} detail */
function failing(detail) {
  const check = checksOf(detail).find(({ status }) => status !== 'pass' && status !== 'skip');
  if (!check) return null;
  const essence = isRecord(check.essence) ? textOf(check.essence.text) : '';
  const lines = (essence || textOf(check.output)).trim().split('\n');
  const text = (essence ? lines.slice(0, MAX_LISTED) : lines.slice(-MAX_LISTED)).join('\n');
  return [
    h('p.fails', h('b', 'What fails: '), checkName(check)),
    text ? h('pre', { tabindex: '0' }, text) : null,
  ];
}

/** @param {string} title @param {unknown} items */
function list(title, items) {
  if (!Array.isArray(items) || items.length === 0) return null;
  const rest = items.length - MAX_LISTED;
  return h(
    'div',
    h('p', h('b', title)),
    h(
      'ul',
      items.slice(0, MAX_LISTED).map((one) => h('li', plain(one))),
      rest > 0 ? h('li', `and ${rest} more, under Result`) : null,
    ),
  );
}

/** @param {TaskDetail} detail */
function followUp({ task_id: taskId, follow_up_task_id: followUpId, has_follow_up: possible }) {
  if (followUpId) return h('a.button.primary', { href: taskHref(followUpId) }, 'Open the follow-up task');
  if (!possible || !may('submitter')) return null;
  return actButton('Create the follow-up task', 'primary', async () => {
    const task = await request(taskPath(taskId, '/follow-up'), { method: 'POST', body: {} });
    announce('Follow-up task created');
    location.hash = taskHref(task.task_id);
  });
}
