/* What came out of a task where a person has to know at once: what remains, or why it failed, and what to do. */
import { actButton } from './act-button.js';
import { endingText, explain } from './explain.js';
import { request } from './api.js';
import { h, say } from './dom.js';
import { isOpen } from './format.js';
import { records } from './lenient.js';
import { taskHref, taskPath } from './task-link.js';

const MAX_LISTED = 20;

/** Nothing for a task that runs or succeeded. `held`: what a running task waits for. */
export function taskOutcome(detail, held) {
  const { status, error } = detail;
  if (status === 'partial') return partial(detail);
  if (isOpen(status) && held) return heldBox(held);
  const failed = status === 'dead_letter' || status === 'queued';
  return failed && error ? failure(status, error) : null;
}

function heldBox(held) {
  return h(
    'section.notice.held',
    { 'aria-label': 'Held' },
    h('h3', {}, 'Held: it goes on by itself'),
    h('p', {}, held),
  );
}

/** The cause first, then what to do, then the error as it is. */
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

const verdicts = {
  verified: 'All checks pass.',
  partial_pass: 'Some checks pass.',
  failed: 'The checks fail.',
  unverified: 'Nothing was checked.',
  execution_failed: 'The checks could not be run.',
};

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
          [why, reason].filter(Boolean).map((text) => `${sentence(String(text))} `),
        )
      : null,
    h('p', {}, h('b', {}, 'What is verified: '), verified(detail)),
    list('What is done:', result?.completed),
    list('What remains:', result?.remaining),
    h('div.actions', {}, followUp(detail)),
  );
}

function verified({ result, verification_report: report }) {
  const checks = records(report?.checks);
  const passed = checks.filter(({ status }) => status === 'pass');
  const known = Object.hasOwn(verdicts, result?.verification_status ?? '');
  const verdict = known ? verdicts[result.verification_status] : 'Nothing is known.';
  return checks.length === 0 ? verdict : `${passed.length} of ${checks.length} checks pass.`;
}

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
      items.slice(0, MAX_LISTED).map((one) => h('li', {}, String(one))),
      rest > 0 ? h('li', {}, `and ${rest} more, under Result`) : null,
    ),
  );
}

function followUp({ task_id: taskId, follow_up_task_id: followUpId, has_follow_up: possible }) {
  if (followUpId) return h('a.button.primary', { href: taskHref(followUpId) }, 'Open the follow-up task');
  if (!possible) return null;
  return actButton('Make the follow-up task', 'primary', async () => {
    const task = await request(taskPath(taskId, '/follow-up'), { method: 'POST', body: {} });
    say('Follow-up task made');
    location.hash = taskHref(task.task_id);
  });
}

const firstLine = (text) => text.split('\n', 1)[0].slice(0, 200);

/** Begins with a capital and ends with a stop. */
function sentence(text) {
  const trimmed = text.trim();
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
