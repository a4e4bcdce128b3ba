/* What came out of a task, to be known at once: the answer and its changes, what remains, or why it failed and what to do. */
import { actButton } from './act-button.js';
import { endingText, explain, own } from './explain.js';
import { request } from './api.js';
import { lineCounts } from './diff.js';
import { h, say } from './dom.js';
import { isOpen } from './format.js';
import { records, textOf } from './lenient.js';
import { taskHref, taskPath } from './task-link.js';
/** @import { Result, TaskDetail, TaskStatus } from '../page-types.ts' */

const MAX_LISTED = 20;
const MAX_ANSWER_CHARS = 400;

/**
 * Nothing for a task that runs. `held`: what a running task waits for.
 * @param {TaskDetail} detail @param {string | undefined} held
 */
export function taskOutcome(detail, held) {
  const { status, error } = detail;
  if (status === 'success') return success(detail);
  if (status === 'partial') return partial(detail);
  if (isOpen(status) && held) return heldBox(held);
  const failed = status === 'dead_letter' || status === 'queued';
  return failed && error ? failure(status, error) : null;
}

/** @param {string} held */
function heldBox(held) {
  const { todo } = explain(/\(([a-z_]{1,40}:.*)/s.exec(held)?.[1] ?? '');
  return h(
    'section.notice.held',
    { 'aria-label': 'On hold' },
    h('h3', {}, 'On hold: it goes on by itself'),
    h('p', {}, sentence(held)),
    todo ? h('p', {}, h('b', {}, 'What to do: '), sentence(todo)) : null,
  );
}

/** @type {Record<string, [kind: string, title: string]>} */
const successes = {
  verified: ['verified', 'Done: its checks pass'],
  unverified: ['unchecked', 'Done, but nothing was checked'],
};

/** @param {TaskDetail} detail */
function success({ result }) {
  const [kind, title] = own(successes, result?.verification_status) ?? ['unchecked', 'Done'];
  const answer = textOf(result?.output).trim();
  return h(
    `section.notice.${kind}`,
    { 'aria-label': 'Outcome' },
    h('h3', {}, title),
    answer ? h('p.answer', {}, shortened(answer)) : null,
    changed(result?.changes),
  );
}

/** @param {Result['changes']} changes */
function changed(changes) {
  const files = records(changes?.files);
  if (files.length === 0) return null;
  return h(
    'p',
    {},
    `${files.length === 1 ? textOf(files[0]?.path) : `${files.length} files`}, `,
    lineCounts(files),
    changes?.branch ? [', on the branch ', h('code', {}, textOf(changes.branch))] : null,
  );
}

/** The beginning of a long text, up to the end of a word. @param {string} text */
function shortened(text) {
  const dense = text.replaceAll(/\n{2,}/g, '\n');
  if (dense.length <= MAX_ANSWER_CHARS) return dense;
  return `${dense.slice(0, MAX_ANSWER_CHARS).replace(/\s\S*$/, '')} … (the rest under Result)`;
}

/** The cause first, then what to do, then the error as it is. @param {TaskStatus} status @param {string} error */
function failure(status, error) {
  const { code, means, todo } = explain(error);
  return h(
    'section.notice.failed',
    { 'aria-label': 'Failure' },
    h('h3', {}, means ? sentence(means) : firstLine(error)),
    todo ? h('p', {}, h('b', {}, 'What to do: '), sentence(todo)) : null,
    h(
      'p',
      {},
      status === 'queued'
        ? 'The last attempt failed; it is tried again.'
        : 'Given up: it is not tried again by itself.',
      code ? [' Code: ', h('code', {}, code)] : null,
    ),
    h('pre', { tabindex: '0' }, error),
  );
}

/** @type {Record<string, string>} */
const verdicts = {
  verified: 'All checks pass.',
  partial_pass: 'Some checks pass.',
  failed: 'The checks fail.',
  unverified: 'Nothing was checked.',
  execution_failed: 'The checks could not be run.',
};

/** @param {TaskDetail} detail */
function partial(detail) {
  const { result } = detail;
  const why = endingText(result?.termination_reason);
  const reason = result?.termination_detail;
  return h(
    'section.notice.partial',
    { 'aria-label': 'Partial result' },
    h('h3', {}, 'Part of it is done'),
    why || reason
      ? h(
          'p',
          {},
          h('b', {}, 'Why it stopped: '),
          [why, reason].filter(Boolean).map((text) => `${sentence(textOf(text))} `),
        )
      : null,
    h('p', {}, h('b', {}, 'What is verified: '), verified(detail)),
    list('What is done:', result?.completed),
    list('What remains:', result?.remaining),
    h('div.actions', {}, followUp(detail)),
  );
}

/** @param {TaskDetail} detail */
function verified({ result, verification_report: report }) {
  const checks = records(report?.checks);
  const passed = checks.filter(({ status }) => status === 'pass');
  const verdict = own(verdicts, result?.verification_status) ?? 'Nothing is known.';
  return checks.length === 0 ? verdict : `${passed.length} of ${checks.length} checks pass.`;
}

/** @param {string} title @param {unknown} items */
function list(title, items) {
  if (!Array.isArray(items) || items.length === 0) return null;
  const rest = items.length - MAX_LISTED;
  return h(
    'div',
    {},
    h('p', {}, h('b', {}, title)),
    h(
      'ul',
      {},
      items.slice(0, MAX_LISTED).map((one) => h('li', {}, textOf(one))),
      rest > 0 ? h('li', {}, `and ${rest} more, under Result`) : null,
    ),
  );
}

/** @param {TaskDetail} detail */
function followUp({ task_id: taskId, follow_up_task_id: followUpId, has_follow_up: possible }) {
  if (followUpId) return h('a.button.primary', { href: taskHref(followUpId) }, 'Open the follow-up task');
  if (!possible) return null;
  return actButton('Make the follow-up task', 'primary', async () => {
    const task = await request(taskPath(taskId, '/follow-up'), { method: 'POST', body: {} });
    say('Follow-up task made');
    location.hash = taskHref(task.task_id);
  });
}

/** @param {string} text */
const firstLine = (text) => text.split('\n', 1)[0]?.slice(0, 200);

/** Begins with a capital and ends with a stop. @param {string} text */
function sentence(text) {
  const trimmed = text.trim();
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
