/* The outcome of a task at a glance: answer and changes, what remains, or why it failed and what to do. */
import { firstLineOf } from './call-row.js';
import { createActionButton, createCopyButton } from './act-button.js';
import {
  checkNameOf,
  describeEnding,
  explain,
  ownEntryOf,
  replaceCodes,
  formatSentence,
  explainHold,
} from './explain.js';
import { request } from './api.js';
import { renderLineCounts } from './diff.js';
import { h, announce } from './dom.js';
import { isOpen } from './format.js';
import { hasRole } from './me.js';
import { isRecord, recordsOf, textOf } from './lenient.js';
import { formatTaskHref, formatTaskPath } from './task-link.js';
/** @import { TaskDetail, TaskStatus } from '../page-types.ts' */

const MAX_LISTED_ITEMS = 20;
const MAX_ANSWER_CHARS = 400;

/**
 * Renders the outcome; null for a running task, unless it is on hold (`holdReason`).
 * @param {TaskDetail} detail @param {string | undefined} holdReason
 */
export function renderTaskOutcome(detail, holdReason) {
  const { status, error, result } = detail;
  const isIdle = result?.nothing_to_do === true && !isOpen(status);
  if (status === 'success' || isIdle) return renderSuccess(detail, isIdle);
  if (status === 'partial') return renderPartial(detail);
  if (isOpen(status) && holdReason) return renderHold(holdReason);
  const failed = status === 'dead_letter' || status === 'queued';
  return failed && error ? renderFailure(status, error, detail) : null;
}

/** @param {string} holdReason */
function renderHold(holdReason) {
  const { todo } = explainHold(holdReason);
  return h(
    'section.notice.held',
    { 'aria-label': 'On hold' },
    h('h3', 'On hold: the task continues automatically'),
    h('p', formatSentence(holdReason)),
    todo ? h('p', h('b', 'What to do: '), formatSentence(todo)) : null,
  );
}

/** @type {Record<string, [kind: string, title: string]>} */
const successes = {
  verified: ['verified', 'Done: the checks pass'],
  unverified: ['unchecked', 'Done, but nothing was checked'],
};

const noRegression = [
  'unchecked',
  'No regression: the checks also passed before the task, so they do not show that the task is done',
];

const nothingToDo = ['unchecked', 'Nothing to do: the checks already passed, and nothing was changed'];

/** @param {TaskDetail} detail @param {boolean} isIdle */
function renderSuccess(detail, isIdle) {
  const { result } = detail;
  const shown =
    result?.evidence === 'pass_to_pass' ? noRegression : ownEntryOf(successes, result?.verification_status);
  const known = isIdle ? nothingToDo : shown;
  const [kind, title] = known ?? ['unchecked', 'Done'];
  const answer = textOf(result?.output).trim();
  return h(
    `section.notice.${kind}`,
    { 'aria-label': 'Outcome' },
    h('h3', title),
    answer ? h('p.answer', shortenAnswer(answer)) : null,
    isIdle ? null : renderList('Checks that pass:', result?.completed),
    renderChangeSummary(detail),
  );
}

/** @param {TaskDetail} detail */
function renderChangeSummary({ result, repo }) {
  const changes = result?.changes;
  const files = recordsOf(changes?.files);
  if (files.length === 0) return null;
  const merge = formatMergeCommand(repo, changes?.branch);
  return [
    h(
      'p',
      `${files.length === 1 ? textOf(files[0]?.path) : `${files.length} files`}, `,
      renderLineCounts(files),
      changes?.branch ? [', on the branch ', h('code', textOf(changes.branch))] : null,
    ),
    merge
      ? h(
          'p.command',
          h('code', merge),
          createCopyButton('Copy the merge command', () => merge),
        )
      : null,
  ];
}

/**
 * Returns the merge command if the repository is a folder; branches of other repositories are only in the worker's
 * cache.
 * @param {string | null} repo @param {unknown} branch
 */
function formatMergeCommand(repo, branch) {
  const isName = typeof branch === 'string' && /^\w[\w./-]*$/.test(branch);
  return isName && /^\/[\w@%+=:,./ -]*$/.test(repo ?? '') ? `git -C '${repo}' merge ${branch}` : undefined;
}

/** Shortens a long text at the end of a word. @param {string} text */
function shortenAnswer(text) {
  const dense = text.replaceAll(/\n{2,}/g, '\n');
  if (dense.length <= MAX_ANSWER_CHARS) return dense;
  return `${dense.slice(0, MAX_ANSWER_CHARS).replace(/\s\S*$/, '')} … (see Result for the rest)`;
}

/**
 * Renders a failure: first the cause, then what to do, then the error.
 * @param {TaskStatus} status @param {string} error @param {TaskDetail} detail
 */
function renderFailure(status, error, detail) {
  const { code, means, todo } = explain(error);
  return h(
    'section.notice.failed',
    { 'aria-label': 'Failure' },
    h('h3', means ? formatSentence(means) : firstLineOf(replaceCodes(error))),
    renderFailingCheck(detail),
    todo ? h('p', h('b', 'What to do: '), formatSentence(todo)) : null,
    h(
      'p',
      status === 'queued'
        ? code?.startsWith('worker_')
          ? 'The worker returned the task; this does not count as an attempt.'
          : 'The last attempt failed; the hub will retry the task.'
        : 'Given up: the hub will not retry the task automatically.',
      todo ? [' Code: ', h('code', code)] : null,
    ),
    h('pre', { tabindex: '0' }, replaceCodes(error)),
  );
}

/** @param {TaskDetail} detail */
const checksOf = ({ result, verification_report: report }) => {
  const last = report ?? result?.verification_report;
  return recordsOf(isRecord(last) && 'checks' in last ? last.checks : undefined);
};

/** @param {TaskDetail} detail */
function renderPartial(detail) {
  const { result } = detail;
  const checks = checksOf(detail);
  const passed = checks.filter(({ status }) => status === 'pass').length;
  const isDone = !detail.not_done;
  const all = `${passed} of ${checks.length} checks pass`;
  const stopReasons = [
    describeEnding(result?.termination_reason),
    replaceCodes(result?.termination_detail),
  ].filter(Boolean);
  return h(
    `section.notice.${isDone ? 'partial' : 'failed'}`,
    { 'aria-label': 'Partial result' },
    h('h3', `${isDone ? 'Partly done' : 'Not done'}: ${checks.length === 0 ? 'nothing was checked' : all}`),
    renderFailingCheck(detail),
    renderList('What remains:', result?.remaining),
    h('div.actions', renderFollowUp(detail)),
    stopReasons.length > 0
      ? h(
          'p',
          h('b', 'Why the task stopped: '),
          stopReasons.map((text) => `${formatSentence(text ?? '')} `),
        )
      : null,
    renderList('Checks that pass:', result?.completed),
    isDone ? renderChangeSummary(detail) : null,
  );
}

/** Renders the first failing check and the relevant part of its output. @param {TaskDetail} detail */
function renderFailingCheck(detail) {
  const check = checksOf(detail).find(({ status }) => status !== 'pass' && status !== 'skip');
  if (!check) return null;
  const essence = isRecord(check.essence) ? textOf(check.essence.text) : '';
  const lines = (essence || textOf(check.output)).trim().split('\n');
  const text = (essence ? lines.slice(0, MAX_LISTED_ITEMS) : lines.slice(-MAX_LISTED_ITEMS)).join('\n');
  return [
    h('p.fails', h('b', 'Failing check: '), checkNameOf(check)),
    text ? h('pre', { tabindex: '0' }, text) : null,
  ];
}

/** @param {string} title @param {unknown} items */
function renderList(title, items) {
  if (!Array.isArray(items) || items.length === 0) return null;
  const rest = items.length - MAX_LISTED_ITEMS;
  return h(
    'div',
    h('p', h('b', title)),
    h(
      'ul',
      items.slice(0, MAX_LISTED_ITEMS).map((one) => h('li', replaceCodes(one))),
      rest > 0 ? h('li', `and ${rest} more (see Result)`) : null,
    ),
  );
}

/** @param {TaskDetail} detail */
function renderFollowUp({ task_id: taskId, follow_up_task_id: followUpId, has_follow_up: possible }) {
  if (followUpId)
    return h('a.button.primary', { href: formatTaskHref(followUpId) }, 'Open the follow-up task');
  if (!possible || !hasRole('submitter')) return null;
  return createActionButton('Create the follow-up task', 'primary', async () => {
    const task = await request(formatTaskPath(taskId, '/follow-up'), { method: 'POST', body: {} });
    announce('Follow-up task created');
    location.hash = formatTaskHref(task.task_id);
  });
}
