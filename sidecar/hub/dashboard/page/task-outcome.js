/* What came out of a task where a person has to know at once: what remains, or why it failed. */
import { actButton } from './act-button.js';
import { request } from './api.js';
import { h, say } from './dom.js';
import { taskHref, taskPath } from './task-link.js';

const MAX_REMAINING = 20;

/** Nothing for a task that runs or succeeded. */
export function taskOutcome(detail) {
  const { status, error } = detail;
  if (status === 'partial') return partial(detail);
  const failed = status === 'dead_letter' || status === 'queued';
  if (!failed || !error) return null;
  return h(
    'section.notice.failed',
    { 'aria-label': 'Failure' },
    h('h3', {}, status === 'queued' ? 'The last attempt failed' : 'Given up'),
    h('pre', { tabindex: '0' }, error),
  );
}

function partial(detail) {
  const { result } = detail;
  const remaining = Array.isArray(result?.remaining) ? result.remaining : [];
  return h(
    'section.notice.partial',
    { 'aria-label': 'Partial result' },
    h('h3', {}, 'Part of it is done'),
    remaining.length > 0
      ? [
          h('p', {}, 'What remains:'),
          h(
            'ul',
            {},
            remaining.slice(0, MAX_REMAINING).map((one) => h('li', {}, String(one))),
          ),
        ]
      : null,
    h('div.actions', {}, followUp(detail)),
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
